"""SPAMS trainDL, mode 5: online learning at one price for all atoms, minimise ½‖x − Dα‖² + λ‖α‖₀ per patch.

usage: spams_learn.py SETTINGS
SETTINGS is JSON: { training, initial, folder, s, threads, batches, batch }. `training` is P x N and `initial` L x N, both .npy.
For each number of batches a dictionary is learned from the start and goes to a file in the folder; the CPU and wall seconds
that took are printed. The number of atoms cannot be given, so λ is searched for beforehand, which is not timed: after a
short learning the patches have s atoms on average.
"""
import json
import os
import sys
import time

import numpy as np
import spams

settings = json.loads(sys.argv[1])
Y = np.asfortranarray(np.load(settings["training"]).T, dtype=np.float32)
initial = np.asfortranarray(np.load(settings["initial"]).T, dtype=np.float32)
threads = settings["threads"]


def learned(price, batches):
    return spams.trainDL(
        Y, D=initial.copy(order="F"), mode=5, lambda1=price, iter=batches, batchsize=settings["batch"],
        numThreads=threads, verbose=False,
    )


def price_for(atoms, dictionary):
    """The λ at which the patches have this many atoms on average."""
    sample = np.asfortranarray(Y[:, :4096])
    low, high = 1e-2, 1e6
    for _ in range(24):
        price = np.sqrt(low * high)
        codes = spams.omp(sample, dictionary, L=Y.shape[0], eps=0.0, lambda1=float(price), numThreads=threads)
        low, high = (price, high) if codes.nnz > atoms * sample.shape[1] else (low, price)
    return float(price)


price = price_for(settings["s"], initial)
for _ in range(2):
    price = price_for(settings["s"], learned(price, settings["batches"][-1] // 4))

snapshots = []
for batches in settings["batches"]:
    start = time.perf_counter(), time.process_time()
    D = learned(price, batches)
    wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    file = os.path.join(settings["folder"], f"{len(snapshots)}.npy")
    np.save(file, np.ascontiguousarray(D.T, dtype=np.float32))
    snapshots.append({"wall": wall, "cpu": cpu, "batches": batches, "file": file})
print(json.dumps({"price": price, "batch": settings["batch"], "snapshots": snapshots}))
