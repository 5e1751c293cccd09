import {execFileSync} from "node:child_process"
import {existsSync} from "node:fs"
import {userInfo} from "node:os"
import {resolve} from "node:path"
import {Option} from "clipanion"
import {findService} from "../../server/process/service/find.ts"
import type {Service} from "../../server/process/service/service.ts"
import {projectName, requireProject} from "../../server/project/settings.ts"
import {packageRoot} from "../../server/runtime/own-files.ts"
import {type ProjectPaths, projectPaths} from "../../server/runtime/project.ts"
import {DataCommand} from "./svc-command.ts"

export abstract class ServiceCommand extends DataCommand {
  user = Option.Boolean("--user", false, {description: "On Linux: use your user's systemd instead of the system's"})

  get projectPaths(): ProjectPaths {
    return projectPaths(this.folder)
  }

  /** Throws `project_missing`, `service_refused`. */
  async service(changes: boolean): Promise<Service> {
    const paths = this.projectPaths
    await requireProject(paths)
    const {uid, homedir} = userInfo()
    const installed = resolve(paths.project, "node_modules/svc-runtime/cli/launch.js")
    return findService(
      {platform: process.platform, isUser: this.user, changes},
      {
        project: paths.project,
        name: await projectName(paths),
        runtime: process.execPath,
        launcher: existsSync(installed) ? installed : resolve(process.argv[1] ?? ""),
        packageRoot,
        env: process.env,
        user: {id: uid, name: userName(), home: homedir},
      },
    )
  }
}

/** Asks `id`, because Bun reads the name from the environment, where it may be missing. */
const userName = (): string => execFileSync("id", ["-un"], {encoding: "utf8"}).trim()
