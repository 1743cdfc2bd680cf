"""scikit-learn's Batch-OMP: orthogonal_mp_gram on all signals at once.

usage: sklearn_omp.py SIGNALS.npy DICTIONARY.npy ATOMS
SIGNALS is P x N (one signal per row), DICTIONARY L x N. Prints one JSON object: wall and CPU nanoseconds per signal, and the RMSE.
"""
import json
import sys
import time

import numpy as np
from sklearn.linear_model import orthogonal_mp_gram

signals, dictionary, atoms = sys.argv[1:]
Y = np.load(signals).T
D = np.load(dictionary).T
start = time.perf_counter(), time.process_time()
X = orthogonal_mp_gram(D.T @ D, D.T @ Y, n_nonzero_coefs=int(atoms))
wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
P = Y.shape[1]
rmse = float(np.sqrt(np.sum((D @ X - Y) ** 2) / P))
print(json.dumps({"wall": wall / P * 1e9, "cpu": cpu / P * 1e9, "rmse": rmse}))
