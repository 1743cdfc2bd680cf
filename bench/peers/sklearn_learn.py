"""scikit-learn's MiniBatchDictionaryLearning: online learning with an ℓ1 penalty, the only one it has.

usage: sklearn_learn.py SETTINGS
SETTINGS is JSON: { training, initial, folder, s, batches, batch }. `training` is P x N and `initial` L x N, both .npy.
After each number of batches the dictionary goes to a file in the folder; the CPU and wall seconds until then are printed.
The number of atoms cannot be given, so α is searched for beforehand, which is not timed: with the initial dictionary the
patches have s atoms on average.
"""
import json
import os
import sys
import time

import numpy as np
import sklearn
from sklearn.decomposition import MiniBatchDictionaryLearning, sparse_encode

settings = json.loads(sys.argv[1])
Y = np.load(settings["training"]).astype(np.float32)
initial = np.load(settings["initial"]).astype(np.float32)

low, high = 1e-2, 1e4
for _ in range(16):
    alpha = np.sqrt(low * high)
    codes = sparse_encode(Y[:256], initial, algorithm="lasso_lars", alpha=alpha)
    low, high = (alpha, high) if np.count_nonzero(codes) > settings["s"] * 256 else (low, alpha)

learner = MiniBatchDictionaryLearning(
    n_components=len(initial), alpha=alpha, fit_algorithm="lars", dict_init=initial, batch_size=settings["batch"],
    random_state=1,
)
snapshots = []
wall = cpu = 0.0
done = 0
for batches in settings["batches"]:
    start = time.perf_counter(), time.process_time()
    while done < batches:
        rows = np.arange(done * settings["batch"], (done + 1) * settings["batch"]) % len(Y)
        learner.partial_fit(Y[rows])
        done += 1
    wall += time.perf_counter() - start[0]
    cpu += time.process_time() - start[1]
    file = os.path.join(settings["folder"], f"{len(snapshots)}.npy")
    np.save(file, learner.components_.astype(np.float32))
    snapshots.append({"wall": wall, "cpu": cpu, "batches": batches, "file": file})
print(json.dumps({"alpha": alpha, "batch": settings["batch"], "version": sklearn.__version__, "snapshots": snapshots}))
