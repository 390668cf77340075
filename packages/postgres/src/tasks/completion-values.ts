import type { ClaimProof } from '@taskboard/core/storage'

/** One task to complete. */
export interface CompletionInput {
  readonly proof: ClaimProof
  readonly result: string
}

/** The parameter of a statement that completes. */
export function completionValues(completions: readonly CompletionInput[]): string {
  return JSON.stringify(
    completions.map(({ proof, result }, ord) => ({
      ord,
      workspace_id: proof.workspaceId,
      task_id: proof.taskId,
      fencing_token: proof.fencingToken,
      result,
    })),
  )
}
