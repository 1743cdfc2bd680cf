"""Golden data for constrained codes, computed independently of the sources of ght.

Makes constraints.json next to this file: nonnegative pursuits, pursuits with missing and weighted samples, and simultaneous OMP.
Rerun: python3 make_constraints.py   (NumPy and SciPy)
"""

import json
from pathlib import Path

import numpy as np
import scipy.optimize

HERE = Path(__file__).resolve().parent
rng = np.random.default_rng(31)
N, L, P = 12, 20, 9
D = rng.normal(size=(N, L))
D /= np.linalg.norm(D, axis=0)
N_D = np.abs(D)
N_D /= np.linalg.norm(N_D, axis=0)


def fit(A, y):
    return np.linalg.lstsq(A, y, rcond=None)[0]


def nonnegative_path(D, y):
    """The errors of the best code with at most k atoms on the way of Lawson and Hanson, and the codes."""
    support, x = [], np.zeros(L)
    r = y.copy()
    errors, codes = [y @ y], [x.copy()]
    while True:
        score = D.T @ r / np.linalg.norm(D, axis=0)
        score[support] = -1
        j = int(np.argmax(score))
        if score[j] <= 1e-9 * np.linalg.norm(y):
            break
        trial, z = support + [j], x.copy()
        while True:
            s = fit(D[:, trial], y)
            if np.all(s > 0):
                break
            steps = [(z[i] / (z[i] - v), i) for i, v in zip(trial, s) if v <= 0]
            t, out = min(steps)
            z[trial] += t * (s - z[trial])
            z[out] = 0
            trial = [i for i in trial if i != out and z[i] > 0]
        x = np.zeros(L)
        x[trial] = s
        support = trial
        r = y - D @ x
        if len(support) >= len(errors):
            errors.append(r @ r)
            codes.append(x.copy())
        else:
            errors[-1] = r @ r
            codes[-1] = x.copy()
    return errors, codes


def ols_path(D, Y, depth):
    """Order-recursive choice for all columns of Y together: the atom whose joining leaves the smallest residual."""
    support, errors = [], [np.sum(Y**2)]
    for _ in range(depth):
        left = []
        for j in range(L):
            if j in support or np.linalg.norm(D[:, j]) == 0:
                left.append(np.inf)
                continue
            A = D[:, support + [j]]
            left.append(np.sum((Y - A @ fit(A, Y)) ** 2))
        support.append(int(np.argmin(left)))
        errors.append(min(left))
    return support, errors


def somp_path(D, Y, depth):
    """Simultaneous OMP: the atom with the largest sum of squared correlations."""
    support, errors, R = [], [np.sum(Y**2)], Y
    for _ in range(depth):
        score = np.sum((D.T @ R) ** 2, axis=1)
        score[support] = -1
        support.append(int(np.argmax(score)))
        A = D[:, support]
        R = Y - A @ fit(A, Y)
        errors.append(np.sum(R**2))
    return support, errors


Y = rng.normal(size=(N, P)) + 0.5
nonnegative = []
for A in (D, N_D):
    paths = [nonnegative_path(A, Y[:, p]) for p in range(P)]
    full = [scipy.optimize.nnls(A, Y[:, p]) for p in range(P)]
    for (errors, codes), (x, norm) in zip(paths, full):
        # Lawson and Hanson's way ends at the solution of nonnegative least squares.
        assert abs(errors[-1] - norm**2) < 1e-9 and np.allclose(codes[-1], x, atol=1e-7), (errors[-1], norm**2)
    nonnegative.append({"D": A.T.tolist(), "errors": [errors for errors, _ in paths],
                        "codes": [[x.tolist() for x in codes] for _, codes in paths]})

W = rng.choice([0, 0.5, 1, 2], size=(N, P), p=[0.3, 0.2, 0.3, 0.2])
weighted = []
for p in range(P):
    support, errors = ols_path(W[:, [p]] * D, (W * Y)[:, [p]], 4)
    weighted.append({"support": support, "errors": errors})

groups = [0, 1, 0, 2, 1, 0, 2, 2, 2]
simultaneous = {}
for name, path in (("ols", ols_path), ("omp", somp_path)):
    simultaneous[name] = []
    for g in range(3):
        support, errors = path(D, Y[:, [p for p in range(P) if groups[p] == g]], 5)
        simultaneous[name].append({"support": support, "errors": errors})

content = {"N": N, "L": L, "P": P, "D": D.T.tolist(), "Y": Y.T.tolist(), "W": W.T.tolist(), "groups": groups,
           "nonnegative": nonnegative, "weighted": weighted, "simultaneous": simultaneous}
lines = [f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in content.items()]
(HERE / "constraints.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
