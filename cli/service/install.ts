import {sep} from "node:path"
import {Command, Option} from "clipanion"
import {isReadyWithin} from "../../server/process/service/ready.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {ServiceCommand} from "../kit/service-command.ts"

/** So long it is waited until the Host is ready, in milliseconds. */
const patience = 20_000

export class ServiceInstall extends ServiceCommand {
  static override paths = [["service", "install"]]
  static override usage = Command.Usage({
    description: "have this machine's service manager run the project's Host",
    details: `
      On Linux with \`--user\`: a unit of the user's own systemd. As root, without it: an instance of the system's template svc@.service, for the project in /srv/svc/<user>. On macOS, without \`--user\`: an agent of launchd.

      It is written, enabled and started; what is so already stays so. The project needs its .env, with mode 0600. \`--dry-run\` prints what would be written, and changes nothing.
    `,
    examples: [
      ["For your own user, on Linux", "svc service install --user"],
      ["On macOS, or as root on Linux", "svc service install"],
      ["See the file first", "svc service install --user --dry-run"],
    ],
  })

  dryRun = Option.Boolean("--dry-run", false, {description: "Print the file, and change nothing"})

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

/** Throws `service_refused` for what npx has fetched for this one command: npm empties that folder when it likes. */
const requireLasting = (runtime: string): void => {
  if (!runtime.includes(`${sep}_npx${sep}`)) return
  throw new Problem("service_refused", `the service would run on ${runtime}, which npx keeps for a while only`, {
    hint: "Install Bun (npm install --global bun@1.4.5) or Node 22.12 or newer, and repeat it with that.",
  })
}
