import {FileStore} from "../../outbox/files/store.ts"
import {CheckpointStore} from "../../recovery/checkpoint/store.ts"
import {UserData} from "../capacity/user/user-data.ts"
import {holding, loadStopped, type StoppedOptions} from "../held.ts"
import {locationOf, projectName} from "../settings.ts"
import {withCurrentDatabase} from "./database.ts"

/** Does work with the user data of a stopped project, as a running Host has it, and with the project's name. */
export const withStoppedUsers = <T>(
  options: StoppedOptions,
  work: (users: UserData, project: string) => Promise<T>,
): Promise<T> =>
  holding(options, async paths => {
    const {config} = await loadStopped(options)
    return withCurrentDatabase(locationOf(config, paths), async database => {
      const remains = async () => ({
        checkpoints: await new CheckpointStore(paths.checkpoints).ids(),
        workItems: null,
        eventLog: config.events.history.age,
      })
      const files = new FileStore({folder: paths.files, database, quota: () => 0})
      return work(new UserData({database, dropFiles: () => files.sweep(), remains}), await projectName(paths))
    })
  })
