import type {Manifest} from "../../../shared/api/checkpoint.ts"
import type {RolledBack} from "../../../shared/api/release.ts"
import type {CodeChange} from "./code.ts"
import type {Swap} from "./swap.ts"

/** What makes a restore a rollback. */
export interface RollbackPart {
  /** Undefined where the project is read-only: then the code was compared. */
  readonly code: CodeChange | undefined
  /** What of its build and packages changes names with it, put together once the staging folders are there. */
  readonly build?: (top: string) => Promise<readonly Swap[]>
  /** The release that it belongs to. */
  readonly release: string
  readonly sideEffects: number
}

/** What is recorded of it. */
export const noteOf = (
  {id: checkpoint, authority: before, code}: Manifest,
  {release, sideEffects}: RollbackPart,
  authority: string,
): RolledBack => ({is: "rolled_back", release, checkpoint, authority, before, commit: code.commit, sideEffects})
