"""GHT-QPM and GHT-ADMM on NumPy, one iteration after the other, as a Python user would write it.

usage: numpy_ght.py SIGNALS.npy DICTIONARY.npy SOLVER BUDGET RHO ITERATIONS DTYPE
SIGNALS is P x N (one signal per row), DICTIONARY L x N. Prints one JSON object: wall and CPU nanoseconds per signal
and iteration (medians), and the RMSE. Threads are those of the BLAS (OPENBLAS_NUM_THREADS).
"""
import json
import sys
import time

import numpy as np

signals, dictionary, solver, budget, rho, iterations, dtype = sys.argv[1:]
Y = np.load(signals).astype(dtype).T
D = np.load(dictionary).astype(dtype).T
S, rho = int(budget), np.dtype(dtype).type(rho)
N, P = Y.shape
L = D.shape[1]
# The inverse once, then one matrix product per iteration: faster in NumPy than two triangular solves.
inverse = np.linalg.inv((D.T @ D).astype(np.float64) + float(rho) * np.eye(L)).astype(dtype)
W = D.T @ Y
Z = np.zeros_like(W)
Lambda = np.zeros_like(W)


def keep_largest(X):
    magnitude = np.abs(X)
    threshold = np.partition(magnitude.ravel(), magnitude.size - S)[magnitude.size - S]
    return np.where(magnitude >= threshold, X, np.dtype(dtype).type(0))


wall, cpu = [], []
for _ in range(int(iterations)):
    start = time.perf_counter(), time.process_time()
    if solver == "qpm":
        Z = keep_largest(inverse @ (W + rho * Z))
    else:
        X = inverse @ (W + rho * Z - Lambda)
        Z = keep_largest(X + Lambda / rho)
        Lambda += rho * (X - Z)
    wall.append(time.perf_counter() - start[0])
    cpu.append(time.process_time() - start[1])

rmse = float(np.sqrt(np.sum((D @ Z - Y).astype(np.float64) ** 2) / P))
per_signal = 1e9 / P
print(json.dumps({"wall": np.median(wall) * per_signal, "cpu": np.median(cpu) * per_signal, "rmse": rmse}))
