import {sep} from "node:path"
import {Command, Option} from "clipanion"
import {isReadyWithin} from "../../server/process/service/ready.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {ServiceCommand} from "../kit/service-command.ts"

/** How long to wait until the Host is ready, in milliseconds. */
const patience = 20_000

export class ServiceInstall extends ServiceCommand {
  static override usage = Command.Usage({
    description: "install the project's Host as a service of this machine",
    details: `
      On Linux with \`--user\`, it installs a unit of your user's systemd. On Linux as root, without \`--user\`, it installs an instance of the system template svc@.service, for the project in /srv/svc/<user>. On macOS, without \`--user\`, it installs a launchd agent.

      It writes, enables and starts the service, and skips steps that are already done. The project needs its .env, with mode 0600.
    `,
    examples: [
      ["For your own user, on Linux", "svc service install --user"],
      ["On macOS, or as root on Linux", "svc service install"],
      ["Show the file first", "svc service install --user --dry-run"],
    ],
  })

  dryRun = Option.Boolean("--dry-run", false, {description: "Print the file and change nothing"})

  async run(): Promise<ExitCode> {
    requireLasting(process.execPath)
    const service = await this.service(!this.dryRun)
    if (this.dryRun) {
      this.show({files: service.files}, () =>
        service.files
          .map(({text}) => text)
          .join("\n")
          .trimEnd(),
      )
      return exit.ok
    }
    const steps: string[] = []
    await service.install(step => {
      steps.push(step)
      if (!this.json) this.print(`svc: ${step}`)
    })
    const ready = await isReadyWithin(this.projectPaths, patience)
    if (this.json) this.print(JSON.stringify({steps, ready, ...(await service.state())}, undefined, 2))
    else this.print(ready ? "the Host is ready" : "the Host is not ready yet: svc service status, svc service logs")
    return ready ? exit.ok : exit.failed
  }
}

/** Throws `service_refused` for a runtime that npx fetched for one command: npm may delete it at any time. */
const requireLasting = (runtime: string): void => {
  if (!runtime.includes(`${sep}_npx${sep}`)) return
  throw new Problem("service_refused", `the service would run on ${runtime}, which npx keeps only temporarily`, {
    hint: "Install Bun (npm install --global bun@1.4.5) or Node 22.12 or newer, and repeat the command with it.",
  })
}
