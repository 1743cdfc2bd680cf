"""Tests of network.py, muon.py and export_colour.py on the CPU: `python3 -m unittest test_network`."""
import unittest

import numpy as np
import torch

import fixture_colour
from export_colour import arrays
from muon import Muon, orthogonalised
from network import Network, denoise, from_axes, to_axes


def small():
    """A small network whose weights all differ and are numbers of float16."""
    torch.manual_seed(5)
    network = Network(widths=(16, 24), blocks=1)
    with torch.no_grad():
        for weight in network.parameters():
            weight.copy_((weight + 0.05 * torch.randn_like(weight)).half())
    return network


class Networks(unittest.TestCase):
    def test_axes_are_orthonormal(self):
        pictures = torch.randn(1, 3, 4, 4)
        torch.testing.assert_close(from_axes(to_axes(pictures)), pictures)

    def test_scaling_picture_and_noise_scales_the_result(self):
        noisy, network = torch.randn(1, 3, 41, 50), small()
        torch.testing.assert_close(denoise(network, 8 * noisy, 4.0), 8 * denoise(network, noisy, 0.5))

    def test_pictures_of_any_size_keep_their_size(self):
        for h, w in ((40, 40), (41, 42), (43, 47)):
            self.assertEqual(denoise(small(), torch.randn(1, 3, h, w), 1.0).shape, (1, 3, h, w))

    def test_the_exported_arrays_are_the_network(self):
        network, deviations = small(), np.array([1, 0.5, 2])
        model = {name: array.astype(np.float64) for name, array in arrays(network).items()}
        planes = np.random.RandomState(1).randn(3, 16, 24)
        wanted = fixture_colour.denoised(model, planes, deviations)
        y = torch.tensor(np.pad(planes, ((0, 0), (12, 12), (12, 12)), mode="symmetric"), dtype=torch.float32)[None]
        maps = torch.tensor(deviations, dtype=torch.float32)[None, :, None, None].expand_as(y)
        with torch.no_grad():
            result = network(y, maps)[0, :, 12:-12, 12:-12]
        np.testing.assert_allclose(result, wanted, atol=1e-4)


class Steps(unittest.TestCase):
    def test_singular_values_become_nearly_equal(self):
        for shape in ((2, 8, 30), (2, 30, 8)):
            values = torch.linalg.svdvals(orthogonalised(torch.randn(shape, generator=torch.Generator().manual_seed(1))))
            self.assertGreater(float(values.min()), 0.5)
            self.assertLess(float(values.max()), 1.3)

    def test_a_step_goes_down(self):
        weight = torch.nn.Parameter(torch.ones(4, 3, 1, 1))
        muon = Muon([weight])
        muon.rate.fill_(0.1)
        weight.square().sum().backward()
        muon.step()
        self.assertLess(float(weight.square().sum()), 12)


if __name__ == "__main__":
    unittest.main()
