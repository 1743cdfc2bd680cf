"""Tests of model.py and export.py on the CPU: `python3 -m unittest test_model`."""
import os
import tempfile
import unittest

import numpy as np
import torch

import fixture
from export import export
from model import Fold, Plain, Unfold, Unrolled, denoise, enlarged, phases_of, reduced


def inner(a, b):
    return float((a.double() * b.double()).sum())


def disturbed(coarse):
    """A small model whose matrices all differ."""
    model = Unrolled(steps=3, atoms=128, coarse=coarse)
    random = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1 + 0.2 * torch.randn(parameter.shape, generator=random))
    return model


def soft(z, threshold):
    return np.sign(z) * np.maximum(np.abs(z) - threshold, 0)


def half(image):
    return (image[::2, ::2] + image[1::2, ::2] + image[::2, 1::2] + image[1::2, 1::2]) / 2


def twice(image):
    return np.kron(image, np.ones((2, 2))) / 2


def by_numpy(model, tile):
    """The iteration in float64 for a tile in units of its noise, with the fold and unfold of fixture.py."""
    p = {name: value.detach().double().numpy() for name, value in model.named_parameters()}
    kappa, coarse_kappa = model.thresholds().detach().double().numpy(), model.coarse_thresholds().detach().double().numpy()
    y = tile - tile.mean()
    r, a, c = y, 0, 0
    for k in range(model.config["steps"]):
        a = soft(a + fixture.unfold(r) @ p["A"][k].T, kappa[k])
        c = soft(c + fixture.unfold(half(r)) @ p["coarse_A"].T, coarse_kappa[k])
        B, coarse_B = (p["B"][k], p["coarse_B"]) if k < len(p["B"]) else (p["D"], p["coarse_D"])
        x = fixture.fold(a @ B) + twice(fixture.fold(c @ coarse_B))
        r = y - x
    return tile.mean() + x


class Model(unittest.TestCase):
    def test_fold_is_the_adjoint_of_unfold(self):
        r, patches = torch.randn(2, 10, 12, 4), torch.randn(2, 10, 12, 64)
        self.assertAlmostEqual(
            inner(Unfold.apply(r, torch.float32, Plain), patches), inner(r, Fold.apply(patches, Plain)), delta=1e-3
        )

    def test_enlarged_is_the_adjoint_of_reduced_and_its_right_inverse(self):
        r, q = torch.randn(2, 10, 12, 4), torch.randn(2, 5, 6, 4)
        self.assertAlmostEqual(inner(reduced(r), q), inner(r, enlarged(q).expand_as(r)), delta=1e-3)
        torch.testing.assert_close(reduced(enlarged(q).expand_as(r)), q)

    def test_reduced_is_the_image_at_half_the_resolution(self):
        image = torch.arange(64.0).reshape(1, 8, 8)
        half = torch.nn.functional.avg_pool2d(image[:, None], 2)[:, 0]
        torch.testing.assert_close(reduced(phases_of(image)), phases_of(2 * half))

    def test_a_coarse_model_is_the_iteration_of_its_page(self):
        model, tile = disturbed(64), torch.randn(1, 24, 32, generator=torch.Generator().manual_seed(2)) + 3
        with torch.no_grad():
            result = model(tile, torch.ones(1))[0]
        np.testing.assert_allclose(result, by_numpy(model, tile[0].double().numpy()), atol=1e-5)

    def test_scaling_image_and_noise_scales_the_result(self):
        noisy = torch.randn(1, 21, 30)
        for coarse in (0, 64):
            model = disturbed(coarse)
            torch.testing.assert_close(denoise(model, 8 * noisy, 4.0), 8 * denoise(model, noisy, 0.5))

    def test_images_of_any_size_keep_their_size(self):
        for coarse in (0, 64):
            for h, w in ((20, 20), (21, 22), (23, 25)):
                self.assertEqual(denoise(disturbed(coarse), torch.randn(1, h, w), 1.0).shape, (1, h, w))

    def test_a_coarse_model_starts_stable_and_removes_noise(self):
        y, x = torch.meshgrid(torch.arange(64.0), torch.arange(64.0), indexing="ij")
        clean = (torch.sin(x / 9) * torch.cos(y / 7))[None]
        noisy = clean + 0.5 * torch.randn(clean.shape, generator=torch.Generator().manual_seed(3))
        error = (denoise(Unrolled(steps=60, coarse=64), noisy, 0.5) - clean).square().mean()
        self.assertLess(error, 0.8 * 0.5**2)

    def test_every_coarse_parameter_is_trained(self):
        model = disturbed(64)
        model(torch.randn(2, 24, 24), torch.tensor([0.2, 0.3])).square().mean().backward()
        for name, parameter in model.named_parameters():
            self.assertGreater(float(parameter.grad.abs().max()), 0, name)


class Export(unittest.TestCase):
    def test_a_coarse_model_is_refused(self):
        model = Unrolled(steps=2, coarse=64)
        with tempfile.TemporaryDirectory() as folder:
            checkpoint, weights = os.path.join(folder, "c.pt"), os.path.join(folder, "c.npz")
            torch.save(dict(config=model.config, parameters=[p.detach() for p in model.parameters()]), checkpoint)
            with self.assertRaisesRegex(SystemExit, "64 coarse atoms; train without --coarse"):
                export(checkpoint, weights)
            self.assertFalse(os.path.exists(weights))


if __name__ == "__main__":
    unittest.main()
