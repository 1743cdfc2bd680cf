"""Mean PSNR on folders of grey images with white noise that is neither clipped nor rounded."""
import numpy as np
import torch

from model import denoise


def psnr(model, images, sigma, offset=0, dtype=torch.float32):
    """The noise of image i has the seed 1000 sigma + offset + i; the estimate is clipped to 0..255."""
    device = next(model.parameters()).device
    values = []
    for i, clean in enumerate(images):
        clean = clean.astype(np.float32)
        noise = np.random.RandomState(1000 * sigma + offset + i).randn(*clean.shape).astype(np.float32)
        noisy = torch.tensor(clean + sigma * noise, device=device)[None] / 255
        estimate = (255 * denoise(model, noisy, sigma / 255, dtype)).clamp(0, 255)[0]
        error = (estimate - torch.tensor(clean, device=device)).square().mean()
        values.append(float(10 * torch.log10(255**2 / error)))
    return float(np.mean(values))


def table(model, sets, sigmas=(15, 25, 50), dtype=torch.float32):
    return {
        name: {sigma: round(psnr(model, images, sigma, offset, dtype), 3) for sigma in sigmas}
        for name, (images, offset) in sets.items()
    }
