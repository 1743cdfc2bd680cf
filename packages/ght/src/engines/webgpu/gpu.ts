/**
 * A GPU: its buffers, its kernels, and batches of their runs. Whatever fails (no adapter, a shader that does not compile, memory
 * that runs out, a device that is lost) becomes an {@link EngineFailure} with a plain reason at the next wait; nothing waits for ever.
 */
import { findHost } from '#gpu';
import { EngineFailure } from '../../errors.js';
import { BufferPool } from './buffer-pool.js';

/** The limits that the kernels depend on, with the least that every adapter has. */
export const leastLimits = {
  maxBufferSize: 2 ** 28,
  maxStorageBufferBindingSize: 2 ** 27,
  maxStorageBuffersPerShaderStage: 8,
  maxComputeWorkgroupStorageSize: 2 ** 14,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
} as const;
/** The limits of a device. */
export type Limits = Readonly<Record<keyof typeof leastLimits, number>>;

/** What tests can force down. */
export interface GpuOptions {
  /** Limits below those of the adapter. @default the adapter's */
  readonly limits?: Partial<Limits>;
  /** Whether subgroups may be used. @default if the adapter has them */
  readonly subgroups?: boolean;
}

/** Workgroups per dimension, at most. */
const MOST_GROUPS = 65535;
/** How long to wait for an answer of the device, in milliseconds. A batch takes far less. */
const TIMEOUT_MS = 120_000;
/** Bytes per write, so that staging memory stays small. */
const WRITE_BYTES = 2 ** 26;

/** A buffer, or a range of one. */
export type Bound = GPUBuffer | { readonly buffer: GPUBuffer; readonly offset?: number; readonly size?: number };

/** Buffers by the names of the variables that they are bound to. */
export type Buffers = Readonly<Record<string, Bound>>;

/** A compiled compute shader. */
export interface Kernel {
  readonly pipeline: GPUComputePipeline;
  /** Binds all variables that the shader declares in group 0. */
  bind(buffers: Buffers): GPUBindGroup;
}

/**
 * The head of the function of a kernel, in WGSL. `group` is the number of its workgroup: more than 65,535 have two dimensions. `me` is
 * the number of a thread in it.
 */
export function entryPoint(threads: number, me = 'me', builtin = 'local_invocation_index'): string {
  return `@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(${builtin}) ${me}: u32) {
  let group = workgroup.x + workgroup.y * workgroups.x;`;
}

/** An open device. */
export class Gpu {
  readonly #kernels = new Map<string, Promise<Kernel>>();
  readonly #waiting = new Set<(failure: EngineFailure) => void>();
  readonly #pool: BufferPool;
  #failure: EngineFailure | undefined;

  private constructor(
    readonly device: GPUDevice,
    /** The adapter by its name. */
    readonly name: string,
    readonly limits: Limits,
    /** Lanes per subgroup if all subgroups have the same number; otherwise undefined, and subgroups are not used. */
    readonly lanes: number | undefined,
    /** Whether the adapter is a software adapter, which runs on the CPU. */
    readonly software: boolean,
  ) {
    this.#pool = new BufferPool(device);
    device.onuncapturederror = ({ error }) => this.#fail(error.message);
    void device.lost.then(({ message, reason }) =>
      this.#fail(`the device was lost (${reason}${message ? `: ${message}` : ''})`),
    );
  }

  /** Opens the fastest adapter. */
  static async open({ limits: asked = {}, subgroups = true }: GpuOptions = {}): Promise<Gpu> {
    const host = await findHost();
    if ('reason' in host) throw new EngineFailure(host.reason);
    const adapter = await host.gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (!adapter) throw new EngineFailure('no adapter was found: is there a GPU, and a driver for it?');
    const names = Object.keys(leastLimits) as (keyof Limits)[];
    const limits = Object.fromEntries(
      names.map((name) => [name, Math.min(asked[name] ?? Number.POSITIVE_INFINITY, adapter.limits[name])]),
    ) as Limits;
    const lanes = subgroups && adapter.features.has('subgroups') ? lanesOf(adapter.info) : undefined;
    const requiredFeatures: GPUFeatureName[] = lanes ? ['subgroups'] : [];
    try {
      const device = await adapter.requestDevice({ requiredFeatures, requiredLimits: { ...limits } });
      return new Gpu(device, nameOf(adapter.info), limits, lanes, isSoftware(adapter.info));
    } catch (error) {
      throw new EngineFailure(`no device could be opened: ${(error as Error).message}`);
    }
  }

  /** Why the device cannot be used any more; undefined while it can. */
  get failure(): EngineFailure | undefined {
    return this.#failure;
  }

  #fail(message: string): void {
    this.#failure ??= new EngineFailure(message.split('\n')[0]);
    for (const reject of this.#waiting) reject(this.#failure);
    this.#waiting.clear();
  }

  /** The compiled kernel; the same code is compiled once. */
  kernel(code: string, label: string): Promise<Kernel> {
    const known = this.#kernels.get(code) ?? this.#compile(code, label);
    this.#kernels.set(code, known);
    return known;
  }

  async #compile(code: string, label: string): Promise<Kernel> {
    const { device } = this;
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code, label });
    const problem = await this.#awaited(device.popErrorScope());
    if (problem) throw new EngineFailure(`the shader "${label}" does not compile: ${problem.message}`);
    const made = device.createComputePipelineAsync({ label, layout: 'auto', compute: { module, entryPoint: 'main' } });
    const pipeline = await this.#awaited(made).catch((error: Error) => {
      throw error instanceof EngineFailure ? error : new EngineFailure(`the shader "${label}": ${error.message}`);
    });
    const bindings = bindingsOf(code);
    return {
      pipeline,
      bind: (buffers) => {
        const layout = pipeline.getBindGroupLayout(0);
        return device.createBindGroup({ label, layout, entries: entriesFor(label, bindings, buffers) });
      },
    };
  }

  /** A scope for the buffers of one problem. */
  scope(): BufferScope {
    return new BufferScope(this.device);
  }

  /** Does work with buffers that are freed at its end. */
  async inScope<T>(work: (scope: BufferScope) => Promise<T>): Promise<T> {
    const scope = this.scope();
    try {
      return await work(scope);
    } finally {
      scope.dispose();
    }
  }

  /** Runs a kernel in this many workgroups, in a batch of its own. */
  submit(kernel: Kernel, buffers: GPUBindGroup, groups: number): void {
    this.batch().run(kernel, buffers, groups).submit();
  }

  /** Buffers for work that is often repeated. They may have any contents; `keep` leaves them to the next such scope. */
  pooledScope(): BufferScope {
    return new BufferScope(this.device, this.#pool);
  }

  /** Waits until everything that was asked for is in memory; fails if it does not fit. */
  async allocated<T>(allocate: () => T): Promise<T> {
    this.device.pushErrorScope('out-of-memory');
    this.device.pushErrorScope('validation');
    const made = allocate();
    const invalid = this.device.popErrorScope();
    const full = this.device.popErrorScope();
    const problem = (await this.#awaited(full)) ?? (await this.#awaited(invalid));
    if (problem) {
      this.#pool.free();
      throw new EngineFailure(`the GPU has too little memory: ${problem.message.split('\n')[0]}`);
    }
    return made;
  }

  /** A batch of runs. */
  batch(): Batch {
    return new Batch(this.device);
  }

  /** Waits until everything submitted is done. An abort stops the waiting; the GPU finishes its batch. */
  done(signal?: AbortSignal): Promise<void> {
    return this.#awaited(
      this.device.queue.onSubmittedWorkDone().then(() => undefined),
      signal,
    );
  }

  /** A copy of bytes of a buffer, after all that was submitted. */
  async read(source: GPUBuffer, from = 0, bytes = source.size - from, signal?: AbortSignal): Promise<ArrayBuffer> {
    const staging = this.#pool.take(bytes, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(source, from, staging, 0, bytes);
    this.device.queue.submit([encoder.finish()]);
    try {
      await this.#awaited(staging.mapAsync(GPUMapMode.READ), signal);
    } catch (error) {
      staging.destroy();
      throw error;
    }
    const copy = staging.getMappedRange().slice(0);
    staging.unmap();
    this.#pool.keep(staging);
    return copy;
  }

  /** The promise, or the failure of the device if that comes first. */
  #awaited<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
    // If a failure or an abort ends the wait, nothing else handles a later rejection of the promise.
    promise.catch(() => undefined);
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise<T>((resolve, reject) => {
      const late = setTimeout(() => fail(new EngineFailure('the GPU has not answered for two minutes')), TIMEOUT_MS);
      const end = () => {
        clearTimeout(late);
        this.#waiting.delete(fail);
        signal?.removeEventListener('abort', aborted);
      };
      const fail = (reason: unknown) => {
        end();
        reject(this.#failure ?? reason);
      };
      const aborted = () => fail(signal?.reason);
      this.#waiting.add(fail);
      signal?.addEventListener('abort', aborted);
      if (signal?.aborted) return aborted();
      promise.then((value) => {
        end();
        // After a failure of the device a result may be wrong.
        if (this.#failure) reject(this.#failure);
        else resolve(value);
      }, fail);
    });
  }

  /** Frees the device and its pool of buffers. */
  dispose(): void {
    this.#pool.free();
    this.device.destroy();
  }
}

/** The buffers of one problem, which are freed together. */
export class BufferScope {
  readonly #buffers: GPUBuffer[] = [];
  constructor(
    private readonly device: GPUDevice,
    private readonly pool?: BufferPool,
  ) {}

  /** A storage buffer of zeros; in a scope with a pool, with any contents. */
  buffer(bytes: number, usage: GPUBufferUsageFlags = GPUBufferUsage.STORAGE): GPUBuffer {
    const size = Math.max(16, 4 * Math.ceil(bytes / 4));
    const uses = usage | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const made = this.pool ? this.pool.take(size, uses) : this.device.createBuffer({ size, usage: uses });
    this.#buffers.push(made);
    return made;
  }

  /** A buffer with these contents. */
  bufferOf(data: ArrayBufferView, usage: GPUBufferUsageFlags = GPUBufferUsage.STORAGE): GPUBuffer {
    const made = this.buffer(data.byteLength, usage);
    this.write(made, data);
    return made;
  }

  /** Writes into a buffer; runs that were submitted before see the old contents. */
  write(buffer: GPUBuffer, data: ArrayBufferView, at = 0): void {
    for (let from = 0; from < data.byteLength; from += WRITE_BYTES) {
      const bytes = Math.min(WRITE_BYTES, data.byteLength - from);
      this.device.queue.writeBuffer(buffer, at + from, data.buffer, data.byteOffset + from, bytes);
    }
  }

  dispose(): void {
    for (const buffer of this.#buffers) buffer.destroy();
    this.#buffers.length = 0;
  }

  /** Ends work that went well: its buffers are kept in the pool. */
  keep(): void {
    for (const buffer of this.#buffers) this.pool?.keep(buffer);
    this.#buffers.length = 0;
  }
}

/** Runs of kernels, copies and clearings, in their order; nothing happens before `submit`. */
export class Batch {
  readonly #encoder: GPUCommandEncoder;
  #pass: GPUComputePassEncoder | undefined;

  constructor(private readonly device: GPUDevice) {
    this.#encoder = device.createCommandEncoder();
  }

  /** Runs a kernel in this many workgroups. The kernel must return if its `group` ({@link entryPoint}) is not below that number. */
  run({ pipeline }: Kernel, buffers: GPUBindGroup, groups: number): this {
    if (groups === 0) return this;
    this.#pass ??= this.#encoder.beginComputePass();
    this.#pass.setPipeline(pipeline);
    this.#pass.setBindGroup(0, buffers);
    const y = Math.ceil(groups / MOST_GROUPS);
    this.#pass.dispatchWorkgroups(Math.ceil(groups / y), y);
    return this;
  }

  /** Sets a buffer, or a range of it, to zeros. */
  clear(buffer: GPUBuffer, from = 0, bytes = buffer.size - from): this {
    this.#end();
    this.#encoder.clearBuffer(buffer, from, bytes);
    return this;
  }

  copy(source: GPUBuffer, from: number, target: GPUBuffer, to: number, bytes: number): this {
    this.#end();
    this.#encoder.copyBufferToBuffer(source, from, target, to, bytes);
    return this;
  }

  submit(): void {
    this.#end();
    this.device.queue.submit([this.#encoder.finish()]);
  }

  #end(): void {
    this.#pass?.end();
    this.#pass = undefined;
  }
}

/** The numbers of the bindings that a shader declares, by the names of their variables. The text of the shader is the only place where they stand. */
function bindingsOf(code: string): ReadonlyMap<string, number> {
  const declared = code.matchAll(/@group\(0\) @binding\((\d+)\) var<[^>]+> (\w+):/g);
  return new Map([...declared].map(([, binding, name]) => [name, Number(binding)]));
}

/** Buffers at their bindings; a wrong or a missing name is a fault of the caller, which a GPU would report late and by number. */
function entriesFor(label: string, bindings: ReadonlyMap<string, number>, buffers: Buffers): GPUBindGroupEntry[] {
  const missing = [...bindings.keys()].filter((name) => !(name in buffers));
  if (missing.length > 0) throw new Error(`the shader "${label}" needs a buffer for ${missing.join(', ')}`);
  return Object.entries(buffers).map(([name, bound]) => {
    const binding = bindings.get(name);
    if (binding === undefined) throw new Error(`the shader "${label}" has no variable "${name}"`);
    return { binding, resource: 'buffer' in bound ? bound : { buffer: bound } };
  });
}

function lanesOf({ subgroupMinSize, subgroupMaxSize }: GPUAdapterInfo): number | undefined {
  return subgroupMinSize === subgroupMaxSize && subgroupMinSize > 0 ? subgroupMinSize : undefined;
}

/**
 * The name of an adapter. In Node `device` is the name of the GPU (`nvidia-h200`) and `description` is its driver. In browsers most often
 * only the vendor and the architecture are known; if there is more, `device` is a number (`0x2335`) and `description` the name.
 */
export function nameOf({
  description,
  device,
  vendor,
  architecture,
}: Pick<GPUAdapterInfo, 'description' | 'device' | 'vendor' | 'architecture'>): string {
  const isNumber = /^(0x[0-9a-f]+|\d[0-9a-f]*)$/i.test(device);
  const model = isNumber ? '' : device.replace(/-+/g, ' ').trim();
  if (!model) return description || [vendor, architecture].filter(Boolean).join(' ') || 'unnamed adapter';
  if (!description || description === device) return model;
  return `${model} (${/driver/i.test(description) ? '' : 'driver '}${description})`;
}

function isSoftware({ isFallbackAdapter, architecture, device, description }: GPUAdapterInfo): boolean {
  return (
    isFallbackAdapter || /swiftshader|llvmpipe|lavapipe|software/i.test(`${architecture} ${device} ${description}`)
  );
}
