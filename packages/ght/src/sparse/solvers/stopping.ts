/** When a patch-wise iterative solver stops on a patch. */
export interface PatchStop {
  readonly maxIterations: number;
  /** It stops when ‖y − Dx‖ of the patch falls by less than this: the rule of the joint solvers, applied to one patch. */
  readonly tolerance: number;
}
