import {Option} from "clipanion"
import type {StoppedOptions} from "../../server/project/held.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {connectUnlessStopped, type HostClient} from "./host-client.ts"
import {DataCommand} from "./svc-command.ts"

/** The option of the commands that also work on a stopped project. */
export const environment = Option.String("--environment", "production", {description: "Reads .env.<name> over .env"})

export const restorePoint = Option.String("--external-restore-point", {
  description: "Dialect libsql: the id of the backup that the database's own tool has made",
})

/** The base of the commands that ask the running Host, or do the work themselves if none runs. */
export abstract class StoppableCommand extends DataCommand {
  environment = environment

  get places() {
    return projectPaths(this.folder)
  }

  get stopped(): StoppedOptions {
    return {project: this.folder, environment: this.environment, command: ["svc", ...process.argv.slice(2)].join(" ")}
  }

  /** Resolves to the running Host, or to undefined if the command must do the work itself. */
  host(): Promise<HostClient | undefined> {
    return connectUnlessStopped(this.folder)
  }
}
