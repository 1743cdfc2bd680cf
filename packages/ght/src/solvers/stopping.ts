/** When a patch-wise iterative solver ends on a patch. */
export interface PatchStop {
  readonly maxIterations: number;
  /** It ends when ‖y − Dx‖ of the patch falls by less than this: the rule of the joint solvers, for one patch. */
  readonly tolerance: number;
}
