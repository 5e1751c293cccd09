import {Command} from "clipanion"
import {describeBuild} from "../../server/recovery/build/compare.ts"
import {type Installed, installRelease} from "../../server/recovery/build/install.ts"
import {ReleaseRecord} from "../../server/recovery/release/record.ts"
import {requireUnderWay} from "../../server/recovery/release/rules.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {isHostRunning} from "../kit/host-client.ts"
import {facts} from "../kit/print.ts"

export class ReleaseInstall extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "replace the project's code, build and packages by the verified version",
    details: `
      Installs exactly the files that \`svc release verify\` tried: the commit of the git work tree, the output of install and build, and \`node_modules\` unless it already has the packages of that lockfile. The replaced files are kept for \`svc rollback\` until the observation window ends.

      If the command is killed, the next start or command completes or undoes it: the project is entirely the old or entirely the verified version. A running Host continues with the code that it has loaded; restart it afterwards.

      If the current branch can be fast-forwarded to the commit, it is; otherwise \`HEAD\` is detached. Without git, only build and packages are installed, and the project's files must be those that were verified.
    `,
    examples: [["Install the version that passed svc release verify", "svc release install"]],
  })

  async run(): Promise<void> {
    const release = requireUnderWay(await new ReleaseRecord(this.places.releases).read())
    const installed = await this.withProgress(show => {
      show("installing", 0, 0)
      return installRelease({paths: this.places, release, command: this.stopped.command})
    })
    const next = (await isHostRunning(this.folder)) ? "svc runtime restart" : "start the Host"
    this.show(installed, () => describeInstalled(installed, next))
  }
}

const describeInstalled = ({build, wasInstalled, code, replaced}: Installed, next: string): string =>
  facts([
    ["installed", `${describeBuild(build)}${wasInstalled ? " (already installed)" : ""}`],
    ["code", code && describeCode(code)],
    ["replaced", replaced.length === 0 ? null : `${replaced.join(", ")}; kept for svc rollback`],
    ["next", `${next}, check the console; then svc release complete --accepted-by <name>`],
  ])

const describeCode = ({from, to, branch, isForward}: NonNullable<Installed["code"]>): string => {
  const where =
    branch === null
      ? ""
      : isForward
        ? `; fast-forwarded the branch ${branch}`
        : `; HEAD is detached, the branch ${branch} is unchanged`
  return `from ${from.slice(0, 12)} to ${to.slice(0, 12)}${where}`
}
