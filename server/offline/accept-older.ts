import {isProblem, Problem} from "../../shared/problems.ts"
import {withDatabase} from "../database/without-host.ts"
import {createAtRest} from "../project/at-rest.ts"
import {holding, loadStopped, type StoppedOptions} from "../project/held.ts"
import {requireNotOlder} from "../project/high-water.ts"
import {requireKnownDatabase} from "../project/migrate.ts"
import {requireOneHistory} from "../project/one-history.ts"
import {locationOf, requireProject} from "../project/settings.ts"
import type {CreateOptions} from "../recovery/checkpoint/create.ts"
import {type Restored, restoreCheckpoint} from "../recovery/restore/restore.ts"
import {requireThere} from "./database.ts"

/**
 * Continues a stopped project with an older copy of its database. Creates a checkpoint of the copy and restores it, so
 * that it gets a new authority, gaps, and held messages, as after any restore. Resolves to what is missing too. Throws
 * `conflict` if the database is not older.
 */
export const acceptOlder = (
  options: StoppedOptions,
  how: Omit<CreateOptions, "reason">,
): Promise<Restored & {readonly missing: string}> =>
  holding(options, async paths => {
    await requireProject(paths)
    const loaded = await loadStopped(options)
    const location = requireThere(locationOf(loaded.config, paths))
    const {missing, checkpoint} = await withDatabase(location, async database => {
      await requireKnownDatabase(database, paths)
      const {authority} = await requireOneHistory({paths, config: loaded.config, database})
      const older = await requireNotOlder(database, authority, paths).catch(problem => problem)
      if (older === undefined)
        throw new Problem("conflict", "the database is not older than what this project has stored", {
          hint: "Nothing is missing: start the Host.",
        })
      if (!isProblem(older, "database_older")) throw older
      const project = {paths, loaded, database, authority, runtimeId: null}
      return {missing: older.message, checkpoint: await createAtRest(project, {...how, reason: "accept-older"})}
    })
    const kept = {paths, locate: () => location, replaced: undefined, dataOnly: true}
    const restored = await restoreCheckpoint(checkpoint, {...how, ...kept})
    return {...restored, missing}
  })
