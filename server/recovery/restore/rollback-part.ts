import type {Manifest} from "../../../shared/api/checkpoint.ts"
import type {RolledBack} from "../../../shared/api/release.ts"
import type {CodeChange} from "./code.ts"
import type {Swap} from "./swap.ts"

/** The parts that a rollback adds to a restore. */
export interface RollbackPart {
  /** Undefined for a read-only project, whose code was only compared. */
  readonly code: CodeChange | undefined
  /** Resolves to the renames of build and packages; called once the staging folders exist. */
  readonly build?: (top: string) => Promise<readonly Swap[]>
  readonly release: string
  readonly sideEffects: number
}

export const noteOf = (
  {id: checkpoint, authority: before, code}: Manifest,
  {release, sideEffects}: RollbackPart,
  authority: string,
): RolledBack => ({is: "rolled_back", release, checkpoint, authority, before, commit: code.commit, sideEffects})
