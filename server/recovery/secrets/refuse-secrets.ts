import {readFile} from "node:fs/promises"
import {join} from "node:path"
import type {CheckpointFile} from "../../../shared/api/checkpoint.ts"
import {Problem} from "../../../shared/problems.ts"
import {SecretSearch, type SecretValues} from "./search.ts"

/** Excludes message data (database, workroom, files of messages): the verification searches that, and it does not prevent a checkpoint. */
const isSearched = ({path}: CheckpointFile) => !path.endsWith(".sqlite") && !/^(workroom|files)\//.test(path)

/** Throws `checkpoint_secret` if configuration, lockfile or jobs contain the value of a secret; never shows the value. */
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
