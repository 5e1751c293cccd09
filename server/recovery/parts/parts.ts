import type {Manifest} from "../../../shared/api/checkpoint.ts"
import type {Database} from "../../database/database.ts"
import {filesRule} from "./files.ts"
import {jobsRule} from "./jobs.ts"
import type {PartRule, StagedPart} from "./rule.ts"
import {workroomRule} from "./workroom.ts"

/** The parts outside of the database. */
export const partRules: readonly PartRule[] = [workroomRule, jobsRule, filesRule]

/** Returns each rule with its part of a staged checkpoint. */
export const stagedParts = (
  {files, parts, authority}: Manifest,
  path: StagedPart["path"],
  database: Database | undefined,
): readonly {readonly rule: PartRule; readonly staged: StagedPart}[] => {
  const hashes = new Map(files.map(file => [file.path, file.sha256]))
  const sha256 = (name: string) => hashes.get(name)
  return partRules.map(rule => ({rule, staged: {mark: parts[rule.name], authority, path, sha256, database}}))
}
