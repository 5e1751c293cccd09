import {readFile} from "node:fs/promises"
import {join} from "node:path"
import type {CheckpointFile} from "../../../shared/api/checkpoint.ts"
import {Problem} from "../../../shared/problems.ts"
import {SecretSearch, type SecretValues} from "./search.ts"

/** Message data, in the database, the workroom and files of messages, is searched when the checkpoint is verified: it does not keep it from being made. */
const isSearched = ({path}: CheckpointFile) => !path.endsWith(".sqlite") && !/^(workroom|files)\//.test(path)

/** Throws `checkpoint_secret` where configuration, lockfile, jobs or workroom hold the value of a secret; never shows it. */
export const refuseSecrets = async (
  folder: string,
  files: readonly CheckpointFile[],
  secrets: SecretValues,
): Promise<void> => {
  const search = new SecretSearch(secrets)
  for (const {path} of files.filter(isSearched)) {
    const name = search.findIn(await readFile(join(folder, path)))
    if (name !== undefined) throw new Problem("checkpoint_secret", `${path} holds the value of ${name}`)
  }
}
