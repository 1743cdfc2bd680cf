"""SPAMS: order-recursive OMP of all signals, the same number of atoms in each, on one thread.

usage: spams_omp.py SIGNALS.npy DICTIONARY.npy ATOMS RUNS
SIGNALS is P x N (one signal per row), DICTIONARY L x N with unit rows. Prints one JSON object: CPU nanoseconds per signal, the
best of all runs, and the RMSE; {"missing": ...} where spams cannot be imported.
"""
import json
import sys
import time

try:
    import numpy as np
    import spams
except ImportError as error:
    print(json.dumps({"missing": str(error)}))
    sys.exit()

signals, dictionary, atoms, runs = sys.argv[1:]
Y = np.asfortranarray(np.load(signals).T.astype(np.float32))
D = np.asfortranarray(np.load(dictionary).T.astype(np.float32))
P = Y.shape[1]
best = float("inf")
for _ in range(int(runs)):
    start = time.process_time()
    X = spams.omp(Y, D, L=int(atoms), eps=0.0, lambda1=0.0, numThreads=1)
    best = min(best, time.process_time() - start)
rmse = float(np.sqrt(np.sum((D @ X.toarray() - Y).astype(np.float64) ** 2) / P))
print(json.dumps({"cpu": best / P * 1e9, "rmse": rmse}))
