import {Command, Option} from "clipanion"
import {applyDeployment, deploymentName, planDeployment} from "../server/process/deploy.ts"
import type {DeploymentName} from "../server/process/deployments.ts"
import {callOf, makeProject, type Toolchain} from "../server/process/new-project.ts"
import {packageRoot} from "../server/runtime/own-files.ts"
import {type ExitCode, exit} from "../shared/exit.ts"
import {Problem} from "../shared/problems.ts"
import {describePlan} from "./kit/deployment-view.ts"
import {facts} from "./kit/print.ts"
import {SvcCommand} from "./kit/svc-command.ts"

export class Init extends SvcCommand {
  static override paths = [["init"]]
  static override usage = Command.Usage({
    description: "make a new project",
    details: `
      Writes svc.config.yml, a sample plugin with its test, package.json, and the svc package itself as a tarball in vendor/; then installs.

      Nothing is overwritten: the folder must be absent or empty.
    `,
    examples: [
      ["A project in ./my-bot", "svc init my-bot"],
      ["One that runs on Node", "svc init my-bot --runtime node"],
      ["With a container image and its composition", "svc init my-bot --deploy compose"],
    ],
  })

  target = Option.String({name: "folder"})
  toolchain = Option.String("--runtime", {description: "bun or node (default: what runs this command)"})
  install = Option.Boolean("--install", true, {description: "Install the dependencies"})

  deploy = Option.Array("--deploy", [], {
    description: "Also add this deployment template, as svc deploy add does; repeatable",
  })

  async run(): Promise<ExitCode> {
    const toolchain = this.#toolchain()
    const templates = this.deploy.map(deploymentName)
    await makeProject({
      folder: this.target,
      toolchain,
      install: this.install,
      packageRoot,
      report: step => this.print(`svc: ${step}`),
    })
    for (const template of templates) await this.#deploy(template, toolchain)
    const {run, svc, install} = callOf[toolchain]
    const steps = facts([
      [`  cd ${this.target}`, ""],
      ...(this.install ? [] : [[`  ${install}`, "installs the dependencies"] as const]),
      [`  ${run} dev`, "starts it"],
      [`  ${svc} chat`, "talks to it, in a second terminal"],
      [`  ${run} test`, "tests it"],
      ...(templates.length > 0 ? [] : [[`  ${svc} deploy add compose`, "puts it into a container"] as const]),
    ])
    this.print(`
Your bot is ready:

${steps}

Then edit plugins/greeter.ts; the next message runs the new code. Keep the folder in git, with its lockfile.`)
    return exit.ok
  }

  async #deploy(template: DeploymentName, runtime: Toolchain): Promise<void> {
    const plan = await planDeployment({template, project: this.target, packageRoot, given: {runtime}})
    const written = await applyDeployment(this.target, plan, {replaced: [], left: []})
    this.print(describePlan(plan, written))
  }

  #toolchain(): Toolchain {
    const given = this.toolchain ?? (process.versions.bun === undefined ? "node" : "bun")
    if (given === "bun" || given === "node") return given
    throw new Problem("request_invalid", `--runtime is bun or node, not "${given}"`)
  }
}
