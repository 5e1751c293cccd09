import {Command} from "clipanion"
import {describeBuild} from "../../server/recovery/build/compare.ts"
import {type Installed, installRelease} from "../../server/recovery/build/install.ts"
import {ReleaseRecord} from "../../server/recovery/release/record.ts"
import {requireUnderWay} from "../../server/recovery/release/rules.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {isHostRunning} from "../kit/host-client.ts"
import {facts} from "../kit/print.ts"
import {ReleaseCommand} from "../kit/release/command.ts"

export class ReleaseInstall extends ReleaseCommand {
  static override paths = [["release", "install"]]
  static override usage = Command.Usage({
    description: "put the version that was verified in the place of the project's code, build and packages",
    details: `
      Moves what \`svc release verify\` tried, byte for byte: the commit of the git work tree, everything that installing and building made, and \`node_modules\` unless it has the packages of that lockfile already. What it replaces is kept for \`svc rollback\`, until the observation window ends.

      Killed at any moment, the project is wholly as before or wholly the verified version, as soon as the next start or command has run. A running Host goes on with the code that it has loaded: restart it afterwards.

      A branch that the commit continues moves to it; else \`HEAD\` is detached. Without git, only build and packages are moved: the project's files must be those that were verified.
    `,
    examples: [["After svc release verify", "svc release install"]],
  })

  async run(): Promise<ExitCode> {
    const release = requireUnderWay(await new ReleaseRecord(this.places.releases).read())
    const installed = await this.withProgress(show => {
      show("installing", 0, 0)
      return installRelease({paths: this.places, release, command: this.stopped.command})
    })
    const next = (await isHostRunning(this.folder)) ? "svc runtime restart" : "start the Host"
    this.show(installed, () => describeInstalled(installed, next))
    return exit.ok
  }
}

const describeInstalled = ({build, wasInstalled, code, replaced}: Installed, next: string): string =>
  facts([
    ["installed", `${describeBuild(build)}${wasInstalled ? " (it was installed already)" : ""}`],
    ...(code === null ? [] : [["code", describeCode(code)] as const]),
    ...(replaced.length === 0 ? [] : [["replaced", `${replaced.join(", ")}; kept for svc rollback`] as const]),
    ["next", `${next}, look at the console; then svc release complete --accepted-by <name>`],
  ])

const describeCode = ({from, to, branch, isForward}: NonNullable<Installed["code"]>): string => {
  const where =
    branch === null
      ? ""
      : isForward
        ? `; the branch ${branch} moved to it`
        : `; HEAD is detached, the branch ${branch} stays`
  return `from ${from.slice(0, 12)} to ${to.slice(0, 12)}${where}`
}
