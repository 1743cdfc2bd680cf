// Prints docs/licences.md: every package that the packages of this project depend on, from the lock file.
import { readFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const byLicence = new Map();
for (const [path, { license = 'unknown', dev, link }] of Object.entries(lock.packages)) {
  // Some packages of the workspace have a version of their own, in their own node_modules.
  if (!/(^|\/)node_modules\//.test(path) || dev || link) continue;
  const names = byLicence.get(license) ?? new Set();
  byLicence.set(license, names.add(path.replace(/.*node_modules\//, '')));
}
const rows = [...byLicence].sort(([a], [b]) => (a < b ? -1 : 1));
console.log(`# Licences

GHT itself has the MIT licence. The library \`ght\` has no dependencies. The command, the lab and the studio depend on the packages below; npm installs
those for your system. Development tools are not listed. Made by \`node scripts/licences.js\`.

The weights of the learned denoiser (\`packages/ght/weights/grey.npz\`, and \`packages/colour/colour.npz\` for colour) were trained on 66 and on 184 photographs that
are CC0 or in the public domain, listed in \`training/README.md\`; they have the MIT licence like GHT.

| Licence | Packages |
|---|---|
${rows.map(([licence, names]) => `| ${licence} | ${[...names].sort().join(', ')} |`).join('\n')}`);
