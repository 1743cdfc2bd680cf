"""Print a sparse matrix saved as .npz, as SciPy reads it: python3 check_npz.py FILE"""

import json
import sys

import scipy.sparse

Z = scipy.sparse.load_npz(sys.argv[1])
print(json.dumps({"format": Z.format, "shape": Z.shape, "dtype": str(Z.dtype), "indptr": Z.indptr.tolist(),
                  "indices": Z.indices.tolist(), "data": Z.data.tolist()}))
