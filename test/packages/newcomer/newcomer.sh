# A first session with the command, in a folder with photo.png, Y.npy and D.npy.
set -eu

npm install ght-cli
npx ght info photo.png
npx ght denoise photo.png -o clean.png
npx ght represent photo.png -o sparse.png --budget 5 --heatmap atoms.png --codes codes.npz
npx ght decode codes.npz -o decoded.png
npx ght solve --signals Y.npy --dictionary D.npy --total-budget 60 --solver joint-omp -o solved.npz
