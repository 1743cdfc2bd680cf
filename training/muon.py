"""Gradient steps whose matrices have equal singular values: Muon (Jordan 2024), with Adam's step length (Liu 2025)."""
import torch

MOMENTUM = 0.95
STEP = 0.2


def orthogonalised(matrices):
    """[N, m, n] -> nearly U V' of each singular value decomposition U S V', by five polynomial iterations."""
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    tall = x.shape[1] > x.shape[2]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(5):
        square = x @ x.mT
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return (x.mT if tall else x).float()


class Muon:
    """For the weights of convolutions; all of one shape are orthogonalised together."""

    def __init__(self, weights):
        self.rate = torch.tensor(0.0, device=weights[0].device)
        self.moments = {weight: torch.zeros_like(weight) for weight in weights}
        shapes = {}
        for weight in weights:
            shapes.setdefault(tuple(weight.shape), []).append(weight)
        self.groups = list(shapes.values())

    @torch.no_grad()
    def step(self):
        for weights in self.groups:
            moments = [self.moments[weight] for weight in weights]
            gradients = [weight.grad for weight in weights]
            torch._foreach_mul_(moments, MOMENTUM)
            torch._foreach_add_(moments, gradients)
            ahead = torch.stack([(g + MOMENTUM * m).flatten(1) for g, m in zip(gradients, moments)])
            steps = orthogonalised(ahead) * (STEP * max(ahead.shape[1:]) ** 0.5) * self.rate
            for weight, step in zip(weights, steps):
                weight.sub_(step.reshape(weight.shape))
