"""Golden data for the tests of ght, computed independently of its sources.

Makes, beside this file:

  dictionaries.json  DCT dictionaries, their spectral norms and coherences
  solvers.json       GHT-QPM, GHT-ADMM (Algorithms 1 and 2 of the paper, literally), refit, OMP, OLS, joint OMP
  synthetic.json     exact recovery by CoSaMP and AIHT, and the first step of NIHT
  measures.json      SSIM, PSNR, RMSE per pixel, support mismatch ratio
  codes_*.npz, codes.json  one sparse matrix as SciPy saves it
  *.npy, npy.json    arrays as NumPy saves them

Made with Python 3.11.2, NumPy 1.24.2, SciPy 1.10.1, scikit-learn 1.2.1, scikit-image 0.19.3 (Debian 12).
Rerun: python3 make_golden.py        (some ten seconds; it also checks what it makes)

The last digits of solvers.json depend on the BLAS and its threads (relative 1e-12 or so); nothing discrete does,
except for the choices beyond ols.decided: from there on a support is one of several equal ones, but the errors are valid.

Conventions: a matrix is {"rows", "cols", "data"} with data column by column; a sparse matrix is CSC,
{"rows", "cols", "indptr", "indices", "values"}, one column per patch. A patch is flattened row by row, so
D = kron(D1, D1) has the pixel y * n + x in a row and the atom ky * m + kx in a column.
"""

import json
from pathlib import Path

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.ndimage
import scipy.sparse
from skimage.metrics import peak_signal_noise_ratio, structural_similarity
from sklearn.linear_model import orthogonal_mp

HERE = Path(__file__).resolve().parent

# If two values are closer than this, rounding could decide between them, and the result is not usable as golden data.
SAFE_MARGIN = 1e-9


# --- writing ---

def plain(value):
    """What json cannot write by itself, as lists and numbers."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"cannot write {type(value)}")


def write_json(name, content):
    """One line per top-level key, so that a diff shows which part changed."""
    lines = [f"{json.dumps(key)}: {json.dumps(value, default=plain, separators=(',', ':'), allow_nan=False)}"
             for key, value in content.items()]
    (HERE / name).write_text("{\n" + ",\n".join(lines) + "\n}\n")


def matrix(A):
    return {"rows": A.shape[0], "cols": A.shape[1], "data": A.flatten(order="F")}


def sparse(Z):
    csc = scipy.sparse.csc_matrix(Z)
    csc.sort_indices()
    return {"rows": csc.shape[0], "cols": csc.shape[1],
            "indptr": csc.indptr, "indices": csc.indices, "values": csc.data}


# --- dictionaries ---

def overcomplete_dct_factor(n, m):
    """1-D atoms cos(i k pi / m), all but the constant one without their mean, of unit norm (n x m)."""
    D1 = np.cos(np.outer(np.arange(n), np.arange(m)) * np.pi / m)
    D1[:, 1:] -= D1[:, 1:].mean(axis=0)
    return D1 / np.linalg.norm(D1, axis=0)


def overcomplete_dct(n, m):
    D1 = overcomplete_dct_factor(n, m)
    return np.kron(D1, D1)


def spectral_norm_squared(D):
    return np.linalg.norm(D, 2) ** 2


def mutual_coherence(D):
    unit = D / np.linalg.norm(D, axis=0)
    G = np.abs(unit.T @ unit)
    np.fill_diagonal(G, 0)
    return G.max()


def describe_overcomplete(n, m):
    D = overcomplete_dct(n, m)
    return {"patch": n, "m": m, "D1": matrix(overcomplete_dct_factor(n, m)),
            "rows": D.shape[0], "cols": D.shape[1],
            "spectral_norm_squared": spectral_norm_squared(D), "mutual_coherence": mutual_coherence(D)}


def make_dictionaries():
    analysis = scipy.fft.dct(np.eye(8), type=2, norm="ortho", axis=0)  # a row is an atom
    write_json("dictionaries.json", {
        "overcomplete_8_10": describe_overcomplete(8, 10),
        "overcomplete_5_7": describe_overcomplete(5, 7),
        "dct2_8": {"n": 8, "D1": matrix(analysis.T)},
    })


# --- the test problem: patches of very different complexity ---

def flat(rng, y, x):
    return np.full_like(x, rng.uniform(30, 220))


def gradient(rng, y, x):
    return rng.uniform(60, 190) + rng.uniform(-9, 9) * (x - 3.5) + rng.uniform(-9, 9) * (y - 3.5)


def edge(rng, y, x):
    angle, offset, width = rng.uniform(0, 2 * np.pi), rng.uniform(-2, 2), rng.uniform(0.8, 2)
    distance = np.cos(angle) * (x - 3.5) + np.sin(angle) * (y - 3.5) - offset
    return rng.uniform(90, 160) + rng.uniform(30, 80) * np.tanh(distance / width)


def texture(rng, y, x):
    waves = (rng.uniform(8, 25) * np.sin(rng.uniform(-1.2, 1.2) * x + rng.uniform(-1.2, 1.2) * y + rng.uniform(0, 6))
             for _ in range(2))
    return rng.uniform(100, 150) + sum(waves)


def make_patches(P=40, n=8, seed=7):
    """P patches as columns. The noise keeps symmetric patches from tying coefficients."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:n, 0:n].astype(float)
    kinds = [flat, gradient, edge, texture]
    patches = [kinds[p % len(kinds)](rng, y, x) + rng.normal(0, 3, (n, n)) for p in range(P)]
    Y = np.stack([patch.ravel() for patch in patches], axis=1)
    return np.clip(np.rint(Y), 0, 255).astype(int)


# --- GHT, as the paper prints it ---

def hard_threshold(X, S):
    """H_S over the whole matrix; among equals the lowest patch-major index wins. Also the smallest kept magnitude,
    and how far below it (as a fraction of it) the largest dropped one is."""
    values = X.flatten(order="F")
    order = np.argsort(-np.abs(values), kind="stable")
    kept = np.zeros_like(values)
    kept[order[:S]] = values[order[:S]]
    threshold, dropped = np.abs(values[order[S - 1]]), np.abs(values[order[S]])
    return kept.reshape(X.shape, order="F"), threshold, (threshold - dropped) / threshold


def rmse(D, Z, Y):
    """The paper's RMSE: per patch, not per pixel."""
    return np.sqrt(np.sum((D @ Z - Y) ** 2) / Y.shape[1])


def penalty_objective(D, Y, X, Z, rho):
    return np.sum((D @ X - Y) ** 2) + rho * np.sum((X - Z) ** 2)


def ght(D, Y, S, rho, iterations, dual):
    """Algorithm 2 where dual is true; Algorithm 1 is the same with Lambda held at zero."""
    L, P = D.shape[1], Y.shape[1]
    factor = scipy.linalg.cho_factor(D.T @ D + rho * np.eye(L))
    W = D.T @ Y
    Z, Lambda = np.zeros((L, P)), np.zeros((L, P))
    history = []
    for _ in range(iterations):
        X = scipy.linalg.cho_solve(factor, W + rho * Z - Lambda)
        Z, threshold, gap = hard_threshold(X + Lambda / rho, S)
        if dual:
            Lambda = Lambda + rho * (X - Z)
        history.append((rmse(D, Z, Y), threshold, gap, penalty_objective(D, Y, X, Z, rho)))
    return Z, [list(column) for column in zip(*history)]


def describe_ght(D, Y, S, rho, rho_relative, iterations, dual):
    Z, (errors, thresholds, gaps, objectives) = ght(D, Y, S, rho, iterations, dual)
    assert min(gaps) > SAFE_MARGIN, f"the cut at S is within rounding: {min(gaps)}"
    run = {"rho": rho, "rho_relative": rho_relative, "iterations": iterations,
           "rmse": errors, "threshold": thresholds, "smallest_gap": min(gaps)}
    if not dual:
        assert all(b <= a * (1 + 1e-12) for a, b in zip(objectives, objectives[1:])), "QPM must not increase f"
        run["objective"] = objectives
    return Z, {**run, "Z": sparse(Z)}


def describe_growth(D, Y, S, norm2, growth, rho, iterations, dual):
    """A budget that grows linearly over 85% of the iterations, and a penalty that rises by the same factor in all of them."""
    L, P = D.shape[1], Y.shape[1]
    growing = round(0.85 * iterations)
    shares = np.concatenate([np.linspace(growth, 1, growing), np.ones(iterations - growing)])
    budgets = np.ceil(S * shares - 1e-9).astype(int)
    rhos = norm2 * np.geomspace(*rho, iterations)
    W, Z, Lambda = D.T @ Y, np.zeros((L, P)), np.zeros((L, P))
    errors, thresholds, gaps = [], [], []
    for budget, penalty in zip(budgets, rhos):
        X = np.linalg.solve(D.T @ D + penalty * np.eye(L), W + penalty * Z - Lambda)
        Z, threshold, gap = hard_threshold(X + Lambda / penalty, budget)
        if dual:
            Lambda = Lambda + penalty * (X - Z)
        errors.append(rmse(D, Z, Y))
        thresholds.append(threshold)
        gaps.append(gap)
    assert min(gaps) > SAFE_MARGIN, f"a cut is within rounding: {min(gaps)}"
    assert errors[-1] == min(errors), "the last iterate is the best"
    return {"growth": growth, "rho_relative": {"from": rho[0], "to": rho[1]}, "iterations": iterations, "S": budgets,
            "rho": rhos, "rmse": errors, "threshold": thresholds, "smallest_gap": min(gaps), "Z": sparse(Z)}


def refit(D, Y, Z):
    """Least squares on the support of Z, patch by patch."""
    fitted = np.zeros_like(Z)
    for p in range(Y.shape[1]):
        support = np.flatnonzero(Z[:, p])
        if support.size:
            fitted[support, p] = np.linalg.lstsq(D[:, support], Y[:, p], rcond=None)[0]
    return fitted


# --- greedy pursuits ---

def relative_lead(best, second):
    return abs(best - second) / max(abs(best), abs(second))


def omp_lead(D, y, s):
    """Least relative lead of a chosen atom's correlation over the runner-up's, and the support, by textbook OMP."""
    support, r, lead = [], y, np.inf
    for _ in range(s):
        correlation = np.abs(D.T @ r)
        correlation[support] = 0  # rounding only
        second, best = np.sort(correlation)[-2:]
        lead = min(lead, relative_lead(best, second))
        support.append(int(np.argmax(correlation)))
        r = y - D[:, support] @ np.linalg.lstsq(D[:, support], y, rcond=None)[0]
    return lead, sorted(support)


def describe_omp(D, Y, s):
    Z = orthogonal_mp(D, Y, n_nonzero_coefs=s, precompute=False)
    leads, supports = zip(*(omp_lead(D, y, s) for y in Y.T))
    assert min(leads) > SAFE_MARGIN, f"OMP's choice is within rounding: {min(leads)}"
    assert all(list(np.flatnonzero(z)) == support for z, support in zip(Z.T, supports))
    return {"s": s, "rmse": rmse(D, Z, Y), "smallest_lead": min(leads), "Z": sparse(Z)}


def squared_error(D, support, y):
    code = np.linalg.lstsq(D[:, support], y, rcond=None)[0]
    return np.sum((y - D[:, support] @ code) ** 2)


def decided_by_rounding(D, support, rest, trials):
    """Whether several atoms leave the same error. Each of them must then complete the same subspace (ten atoms of
    one row or column of the DCT span eight dimensions), so that the errors to come do not depend on the choice."""
    near = [j for j, error in zip(rest, trials) if relative_lead(trials.min(), error) <= SAFE_MARGIN]
    spanned = np.linalg.matrix_rank(D[:, support + near])
    assert len(near) == 1 or spanned == len(support) + 1, f"a tie between different subspaces: {near}"
    return len(near) > 1


def ols_path(D, y, depth):
    """Order-recursive selection by brute force: of all atoms, the one that leaves the least error after projection.
    Returns the atoms in order of choice, the squared error after 0, 1, ... of them, and the number of atoms chosen
    before rounding first decided between equals."""
    support, errors, decided = [], [np.sum(y.astype(float) ** 2)], None
    while len(support) < depth and errors[-1] > (1e-9 ** 2) * errors[0]:
        rest = [j for j in range(D.shape[1]) if j not in support]
        trials = np.array([squared_error(D, support + [j], y) for j in rest])
        if decided_by_rounding(D, support, rest, trials) and decided is None:
            decided = len(support)
        support.append(rest[int(np.argmin(trials))])
        errors.append(trials.min())
    return support, errors, len(support) if decided is None else decided


def hull_slopes(errors):
    """The decrease a further atom brings, on the lower convex hull of the error curve. Every atom of a hull segment
    has the segment's mean decrease, so that an atom of little gain before one of great gain is not refused."""
    slopes, start = [], 0
    while start < len(errors) - 1:
        mean_decrease = [(errors[start] - errors[end]) / (end - start) for end in range(start + 1, len(errors))]
        steepest = int(np.argmax(mean_decrease))
        slopes += [mean_decrease[steepest]] * (steepest + 1)
        start += steepest + 1
    return slopes


def allocate(curves, S):
    """Spend S atoms on the largest slopes; ties go to the lower patch, then to the lower depth."""
    offers = sorted((-slope, p, depth) for p, errors in enumerate(curves)
                    for depth, slope in enumerate(hull_slopes(errors)))
    (last, patch, _), (refused, next_patch, _) = offers[S - 1], offers[S]
    assert patch == next_patch or relative_lead(last, refused) > SAFE_MARGIN, "the cut at S is within rounding"
    return np.bincount([p for _, p, _ in offers[:S]], minlength=len(curves))


def describe_joint_omp(curves, S, depth):
    """The curves are longer than the published depth: where they are cut must not matter to the allocation."""
    atoms = allocate([errors[:depth + 1] for errors in curves], S)
    assert atoms.max() < depth, "a patch wants more atoms than its path has"
    assert np.array_equal(atoms, allocate(curves, S)), "deeper paths would be allotted otherwise"
    error = sum(errors[k] for errors, k in zip(curves, atoms))
    return {"S": S, "atoms_per_patch": atoms, "rmse": np.sqrt(error / len(curves))}


def make_solvers():
    Y, D = make_patches(), overcomplete_dct(8, 10)
    P = Y.shape[1]
    S, norm2 = 10 * P, spectral_norm_squared(D)

    _, qpm_absolute = describe_ght(D, Y, S, 0.1, None, 30, dual=False)
    Z, qpm_relative = describe_ght(D, Y, S, 0.1 * norm2, 0.1, 30, dual=False)
    _, admm_low = describe_ght(D, Y, S, 0.1 * norm2, 0.1, 20, dual=True)
    _, admm_high = describe_ght(D, Y, S, 0.2 * norm2, 0.2, 20, dual=True)
    growing = {f"{name}_growing": describe_growth(D, Y, S, norm2, 0.05, (0.02, 0.2), 20, dual)
               for name, dual in (("qpm", False), ("admm", True))}
    fitted = refit(D, Y, Z)

    depth = 24
    paths, curves, decided = zip(*(ols_path(D, y, depth + 12) for y in Y.T))
    omp = [describe_omp(D, Y, s) for s in (5, 12)]
    joint = [describe_joint_omp(curves, s * P, depth) for s in (5, 10)]

    assert rmse(D, fitted, Y) < qpm_relative["rmse"][-1]
    assert min(admm_low["rmse"][-1], admm_high["rmse"][-1]) < qpm_relative["rmse"][-1]
    write_json("solvers.json", {
        "Y": matrix(Y), "patch": 8, "m": 10, "S": S, "spectral_norm_squared": norm2,
        "qpm_absolute": qpm_absolute, "qpm_relative": qpm_relative,
        "admm_0.1": admm_low, "admm_0.2": admm_high, **growing,
        "refit": {"rmse": rmse(D, fitted, Y), "Z": sparse(fitted)},
        "omp_5": omp[0], "omp_12": omp[1],
        "ols": {"depth": depth, "decided": np.minimum(decided, depth), "supports": [path[:depth] for path in paths],
                "squared_errors": [errors[:depth + 1] for errors in curves]},
        "joint_omp_5": joint[0], "joint_omp_10": joint[1],
    })
    for name, run in [("QPM 0.1", qpm_absolute), ("QPM 0.1 rel", qpm_relative), ("ADMM 0.1 rel", admm_low),
                      ("ADMM 0.2 rel", admm_high), *growing.items()]:
        print(f"{name}: rmse {run['rmse'][0]:.4f} -> {run['rmse'][-1]:.4f}, least gap {run['smallest_gap']:.1e}")
    print(f"refit: {rmse(D, fitted, Y):.4f}")
    print("OMP s = 5, 12:", [(round(run["rmse"], 4), f"lead {run['smallest_lead']:.1e}") for run in omp])
    print("joint OMP s = 5, 10:", [(round(run["rmse"], 4), int(run["atoms_per_patch"].max())) for run in joint],
          "OLS choices that rounding decides, (patch, depth):", [(p, k) for p, k in enumerate(decided) if k < depth])


# --- CoSaMP and AIHT on signals with known codes ---

def largest(v, s):
    """Indices of the s largest magnitudes, lowest index first among equals."""
    return np.argsort(-np.abs(v), kind="stable")[:s]


def H_s(x, s):
    kept = np.zeros_like(x)
    index = largest(x, s)
    kept[index] = x[index]
    return kept


def cosamp(D, y, s, iterations=100):
    """Needell and Tropp 2009, Algorithm 2.1. The best iterate is returned."""
    x, r = np.zeros(D.shape[1]), y
    for k in range(iterations):
        merged = np.union1d(largest(D.T @ r, 2 * s), np.flatnonzero(x))
        b = np.zeros_like(x)
        b[merged] = np.linalg.lstsq(D[:, merged], y, rcond=None)[0]
        candidate = H_s(b, s)
        residual = y - D @ candidate
        if np.linalg.norm(residual) >= np.linalg.norm(r):
            return x, k
        x, r = candidate, residual
        if np.linalg.norm(r) <= 1e-12 * np.linalg.norm(y):
            return x, k + 1
    return x, iterations


def niht_step(D, y, x, s, c=0.01):
    """Blumensath and Davies 2010: the step is exact line search on the support, and shortened where the support
    changes until mu <= omega. Returns the iterate, the step mu used and how often it was halved
    (kappa = 2 / (1 - c), so that mu / (kappa (1 - c)) is a halving)."""
    g = D.T @ (y - D @ x)
    support = np.flatnonzero(x) if x.any() else largest(g, s)
    mu = np.sum(g[support] ** 2) / np.sum((D[:, support] @ g[support]) ** 2)
    halvings = 0
    while True:
        new = H_s(x + mu * g, s)
        step = new - x
        if np.array_equal(np.flatnonzero(new), np.sort(support)):
            return new, mu, halvings
        omega = (1 - c) * np.sum(step ** 2) / np.sum((D @ step) ** 2)
        if mu <= omega:
            return new, mu, halvings
        mu, halvings = mu / 2, halvings + 1


def line_search(D, y, start, direction):
    """The exact minimiser of the residual along a direction."""
    image = D @ direction
    energy = image @ image
    return start + (image @ (y - D @ start) / energy) * direction if energy > 0 else start


def aiht(D, y, s, iterations=1000):
    """Blumensath 2012: NIHT with double over-relaxation once there are two earlier iterates."""
    previous, x = None, np.zeros(D.shape[1])
    for k in range(iterations):
        new, _, _ = niht_step(D, y, x, s)
        if previous is not None:
            z1 = line_search(D, y, new, new - x)
            z2 = line_search(D, y, z1, z1 - previous)
            candidate = H_s(z2, s)
            if np.linalg.norm(y - D @ candidate) < np.linalg.norm(y - D @ new):
                new = candidate
        previous, x = x, new
        if np.linalg.norm(y - D @ x) <= 1e-12 * np.linalg.norm(y):
            return x, k + 1
    return x, iterations


def synthetic_problem(seed, N=30, L=60, P=12, s=4):
    rng = np.random.default_rng(seed)
    D = rng.normal(0, 0.1, (N, L))
    X = np.zeros((L, P))
    for p in range(P):
        X[rng.choice(L, s, replace=False), p] = rng.choice([-1.0, 1.0], s)
    return D, X


def solve_patchwise(solver, D, Y, s):
    codes, iterations = zip(*(solver(D, y, s) for y in Y.T))
    return np.stack(codes, axis=1), list(iterations)


def same_support(A, B):
    return np.array_equal(A != 0, B != 0)


def describe_recovery(D, Y, X, Z, iterations):
    return {"rmse": rmse(D, Z, Y), "largest_code_error": np.abs(Z - X).max(), "iterations": iterations,
            "supports": [np.flatnonzero(z) for z in Z.T]}


def make_synthetic(s=4):
    for seed in range(1000):
        D, X = synthetic_problem(seed, s=s)
        Y = D @ X
        by_cosamp, by_aiht = solve_patchwise(cosamp, D, Y, s), solve_patchwise(aiht, D, Y, s)
        if same_support(by_cosamp[0], X) and same_support(by_aiht[0], X):
            break
        print(f"synthetic seed {seed}: support not recovered by",
              [name for name, (Z, _) in [("CoSaMP", by_cosamp), ("AIHT", by_aiht)] if not same_support(Z, X)])
    else:
        raise RuntimeError("no seed where both recover every support")

    x, mu, halvings = niht_step(D, Y[:, 0], np.zeros(D.shape[1]), s)
    assert halvings == 0  # from zero the support is that of the gradient, so no step is refused
    write_json("synthetic.json", {
        "seed": seed, "s": s, "D": matrix(D), "Y": matrix(Y), "X": sparse(X),
        "cosamp": describe_recovery(D, Y, X, *by_cosamp),
        "aiht": describe_recovery(D, Y, X, *by_aiht),
        "niht_first": {"signal": 0, "c": 0.01, "mu": mu, "indices": np.flatnonzero(x), "values": x[x != 0]},
    })
    print(f"synthetic seed {seed}: rmse CoSaMP {rmse(D, by_cosamp[0], Y):.1e}, AIHT {rmse(D, by_aiht[0], Y):.1e},",
          f"iterations {by_cosamp[1]}, {by_aiht[1]}")


# --- measures ---

SSIM_OPTIONS = dict(gaussian_weights=True, sigma=1.5, use_sample_covariance=False, data_range=255)
SSIM_CONVENTION = (
    "Wang et al. 2004, K1 = 0.01, K2 = 0.03, peak 255; moments weighted by a Gaussian of sigma 1.5 cut at 5 pixels "
    "(11 x 11), boundary as scipy.ndimage mode='reflect' (d c b a | a b c d), covariance divided by the weights' sum; "
    "mean over the interior without 5 pixels at each side (as scikit-image), or over all pixels where none is left")


def ssim(a, b, peak=255, radius=5):
    """SSIM written out, for images smaller than the window, which scikit-image refuses."""
    blur = lambda image: scipy.ndimage.gaussian_filter(image, 1.5, truncate=3.5, mode="reflect")
    a, b = a.astype(float), b.astype(float)
    mean_a, mean_b = blur(a), blur(b)
    var_a, var_b, cov = blur(a * a) - mean_a ** 2, blur(b * b) - mean_b ** 2, blur(a * b) - mean_a * mean_b
    C1, C2 = (0.01 * peak) ** 2, (0.03 * peak) ** 2
    local = ((2 * mean_a * mean_b + C1) * (2 * cov + C2)
             / ((mean_a ** 2 + mean_b ** 2 + C1) * (var_a + var_b + C2)))
    interior = local[radius:-radius, radius:-radius]
    return interior.mean() if interior.size else local.mean()


def image_pair(rng, height, width):
    y, x = np.mgrid[0:height, 0:width]
    a = 120 + 60 * np.sin(x / 3) * np.cos(y / 4) + 40 * (x + y > width) + rng.normal(0, 3, (height, width))
    b = scipy.ndimage.gaussian_filter(a, 0.8) + rng.normal(0, 8, (height, width))
    return [np.clip(np.rint(image), 0, 255).astype(int) for image in (a, b)]


def describe_pair(a, b):
    try:
        similarity, by = structural_similarity(a, b, **SSIM_OPTIONS), "scikit-image"
        assert abs(similarity - ssim(a, b)) < 1e-12
    except ValueError:
        similarity, by = ssim(a, b), "make_golden.py"
    return {"height": a.shape[0], "width": a.shape[1], "a": a.ravel(), "b": b.ravel(),
            "ssim": similarity, "ssim_by": by, "psnr": peak_signal_noise_ratio(a, b, data_range=255),
            "rmse_per_pixel": np.sqrt(np.mean((a - b) ** 2.0))}


def mismatch_ratio(A, B):
    larger = max(len(A), len(B))
    return (larger - len(set(A) & set(B))) / larger


def make_measures():
    rng = np.random.default_rng(11)
    pairs = [([0, 3, 7, 9], [0, 3, 8, 9]), ([1, 2, 3], [1, 2, 3]), ([1, 2], [5, 6]),
             ([0, 2, 4, 6, 8], [2, 4, 11]), ([4], [])]
    write_json("measures.json", {
        "ssim_convention": SSIM_CONVENTION,
        "images": describe_pair(*image_pair(rng, 24, 20)),
        "small_images": describe_pair(*image_pair(rng, 7, 9)),
        "mismatch": [{"A": A, "B": B, "ratio": mismatch_ratio(A, B)} for A, B in pairs],
    })


# --- files of NumPy and SciPy ---

def small_codes():
    """100 x 6 with empty columns at the start, inside and at the end."""
    rng = np.random.default_rng(5)
    Z = np.zeros((100, 6))
    for p, count in [(1, 5), (2, 1), (4, 7)]:
        Z[rng.choice(100, count, replace=False), p] = rng.normal(0, 50, count)
    Z[0, 2], Z[99, 4] = -0.125, 1e-3
    return scipy.sparse.csc_matrix(Z)


def save_as_newer_scipy(path, Z):
    """SciPy 1.10 saves an array as it does a matrix. Later versions add an entry _is_array, and their arrays may have
    64-bit indices; no such version made this file, it only has that layout."""
    np.savez_compressed(path, indices=Z.indices.astype(np.int64), indptr=Z.indptr.astype(np.int64),
                        format=b"csc", shape=Z.shape, data=Z.data, _is_array=True)


def make_codes():
    Z = small_codes()
    single = Z.astype(np.float32)
    scipy.sparse.save_npz(HERE / "codes_float64.npz", Z)
    scipy.sparse.save_npz(HERE / "codes_float32.npz", single)
    scipy.sparse.save_npz(HERE / "codes_stored.npz", Z, compressed=False)
    scipy.sparse.save_npz(HERE / "codes_array.npz", scipy.sparse.csc_array(Z))
    save_as_newer_scipy(HERE / "codes_newer.npz", Z)
    write_json("codes.json", {
        "float64": sparse(Z), "float32": sparse(single),
        "files": {"codes_float64.npz": "float64", "codes_float32.npz": "float32",
                  "codes_stored.npz": "float64", "codes_array.npz": "float64",
                  "codes_newer.npz": "float64"},
    })


def make_npy():
    ramp = np.arange(12).reshape(3, 4)
    arrays = {
        "c_order.npy": ramp / 8 - 0.3,
        "fortran_order.npy": np.asfortranarray(ramp / 8 - 0.3),
        "big_endian_float32.npy": np.array([[0.5, -1.25, 3e10], [1e-3, 0, -7]], dtype=">f4"),
        "uint8_image.npy": (np.arange(4 * 5 * 3) * 37 % 256).astype(np.uint8).reshape(4, 5, 3),
        "uint16.npy": np.array([0, 1, 255, 256, 65535], dtype="<u2"),
        "int64.npy": np.array([0, -1, 2 ** 31, -(2 ** 40), 2 ** 53 - 1], dtype="<i8"),  # exact in a double
        "bool.npy": np.array([[True, False, True], [False, False, True]]),
        "scalar.npy": np.array(2.5),
        "empty.npy": np.zeros((0, 5)),
    }
    for name, array in arrays.items():
        np.save(HERE / name, array)
    write_json("npy.json", {
        name: {"shape": array.shape, "dtype": array.dtype.str,
               "fortran_order": bool(array.flags.f_contiguous and not array.flags.c_contiguous),
               "values": array.flatten(order="C")}
        for name, array in arrays.items()})


if __name__ == "__main__":
    make_dictionaries()
    make_solvers()
    make_synthetic()
    make_measures()
    make_codes()
    make_npy()
