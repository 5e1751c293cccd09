import type {Database} from "../../database/database.ts"
import type {ProjectPaths} from "../../runtime/project.ts"

/** The files of a checkpoint where they were copied to. */
export interface StagedPart {
  /** What the part said of itself at the marker; undefined where the checkpoint is without it. */
  readonly mark: unknown
  readonly authority: string
  /** Where a file of the checkpoint is now; undefined where it has no such file. */
  path(name: string): string | undefined
  /** What the manifest says of a file of the checkpoint, which the copy has been compared with; undefined where it has none. */
  sha256(name: string): string | undefined
  /** Names of the checkpoint's files. */
  readonly names: readonly string[]
  /** The copy of the database, open; undefined where the database is remote. */
  readonly database: Database | undefined
}

/** What verifying and restoring know of a part of the state that is not in the database; they never touch live state. */
export interface PartRule {
  /** Its key in the manifest's `parts`. */
  readonly name: string
  /** Where a file of the checkpoint belongs in a project, when it is one of this part. */
  placeOf(name: string, paths: ProjectPaths): string | undefined
  /** Everything of this part in a project: what of it the checkpoint does not have goes away. */
  places(paths: ProjectPaths): readonly string[]
  /** What is wrong with it. */
  check(staged: StagedPart): Promise<readonly string[]>
  /** Makes the staged copy that of a new authority, for which nothing before `at` (milliseconds since 1970) is due. */
  adopt(staged: StagedPart, to: {readonly authority: string; readonly at: number}): Promise<void>
}
