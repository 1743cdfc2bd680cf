// Writes a picture window by window, passing over those that are there, and says so after each. Arguments: the folder, and the number
// of the window in whose middle it kills itself.
import { zarrSink } from 'ght-tiles';

const [, , folder, killedAt] = process.argv;
const side = 640;
const picture = { width: side, height: side, channels: 2, alpha: false, sample: 'uint', depth: 16 };
const sink = await zarrSink(folder, { run: 'killed', picture, chunk: 64 });
let number = 0;
for (let top = 0; top < side; top += 128) {
  for (let left = 0; left < side; left += 128) {
    const window = { left, top, width: 128, height: 128 };
    const there = await sink.has(window);
    const plane = Uint16Array.from(
      { length: 128 * 128 },
      (_, i) => (40503 * (left + (i % 128)) + 7919 * (top + (i >> 7))) % 65536,
    );
    if (`${number++}` === killedAt) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2);
    if (!there) await sink.write(window, [plane, plane.map((value) => 65535 - value)]);
    // The timer comes at last.
    if (`${number - 1}` === killedAt) await new Promise(() => {});
    process.stdout.write(`${there ? 'there' : 'written'}\n`);
  }
}
await sink.finish();
process.stdout.write('finished\n');
