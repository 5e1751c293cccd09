import type {Database} from "../../database/database.ts"
import type {ProjectPaths} from "../../runtime/project.ts"

/** The copied files of a checkpoint. */
export interface StagedPart {
  /** The part's mark; undefined if the checkpoint does not have the part. */
  readonly mark: unknown
  readonly authority: string
  /** Returns the path of a copied file; undefined if the checkpoint does not have it. */
  path(name: string): string | undefined
  /** Returns a file's hash in the manifest, which its copy matches; undefined if the checkpoint does not have it. */
  sha256(name: string): string | undefined
  /** The open copy of the database; undefined for a remote database. */
  readonly database: Database | undefined
}

/** How to verify and restore a part of the state outside of the database. It never touches live state. */
export interface PartRule {
  /** Its key in the manifest's `parts`. */
  readonly name: string
  /** Returns the place in a project of one of the part's files; undefined for other files. */
  placeOf(name: string, paths: ProjectPaths): string | undefined
  /** Returns all places of this part in a project. A restore removes those that the checkpoint does not have. */
  places(paths: ProjectPaths): readonly string[]
  /** Resolves to the faults of the part. */
  check(staged: StagedPart): Promise<readonly string[]>
  /** Gives the copy a new authority, for which nothing before `at` (milliseconds since 1970) is due. */
  adopt(staged: StagedPart, to: {readonly authority: string; readonly at: number}): Promise<void>
}
