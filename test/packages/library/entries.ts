import * as browser from 'ght/browser';
import { heatmap } from 'ght/draw';
import { readNpy } from 'ght/npy';
import { denoisePaper } from 'ght/paper';

console.log([browser.denoise, heatmap, readNpy, denoisePaper].length);
