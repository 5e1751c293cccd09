import {Command, Option} from "clipanion"
import {applyDeployment, deploymentName, planDeployment} from "../server/process/deploy.ts"
import type {DeploymentName} from "../server/process/deployments.ts"
import {makeProject, oldNode} from "../server/process/new-project.ts"
import {projectTemplates, templateName, templateNames} from "../server/process/project-templates.ts"
import {callOf, quoted, type Toolchain} from "../server/process/toolchain.ts"
import {packageRoot} from "../server/runtime/own-files.ts"
import {type ExitCode, exit} from "../shared/exit.ts"
import {Problem} from "../shared/problems.ts"
import {describePlan} from "./kit/deployment-view.ts"
import {facts, table} from "./kit/print.ts"
import {SvcCommand} from "./kit/svc-command.ts"

const summaries = templateNames.map(name => [name, projectTemplates[name].summary] as const)

export class Init extends SvcCommand {
  static override paths = [["init"]]
  static override usage = Command.Usage({
    description: "make a new project",
    details: `
      Writes svc.config.yml, a plugin with its test, package.json, and the svc package itself as a tarball in vendor/; then installs.

      Nothing is overwritten: the folder must be absent or empty. Without a folder it is this one.

      The templates are ${summaries.map(([name, summary]) => `\`${name}\` (${summary})`).join("; ")}.
    `,
    examples: [
      ["A project in ./my-bot", "svc init my-bot"],
      ["What it can begin with", "svc init --list"],
      ["A bot that reminds people", "svc init my-bot --template reminders"],
      ["One that runs on Node", "svc init my-bot --runtime node"],
      ["With a container image and its composition", "svc init my-bot --deploy compose"],
    ],
  })

  target = Option.String({name: "folder", required: false})
  template = Option.String("--template", "starter", {description: `${templateNames.join(", ")} (default: starter)`})
  list = Option.Boolean("--list", false, {description: "List the templates, and make nothing"})
  toolchain = Option.String("--runtime", {description: "bun or node (default: what runs this command)"})
  install = Option.Boolean("--install", true, {description: "Install the dependencies"})

  deploy = Option.Array("--deploy", [], {
    description: "Also add this deployment template, as svc deploy add does; repeatable",
  })

  async run(): Promise<ExitCode> {
    if (this.list) {
      this.print(table(["template", "what it is"], summaries))
      return exit.ok
    }
    const folder = this.target ?? "."
    const template = templateName(this.template)
    const toolchain = this.#toolchain()
    const deployments = this.deploy.map(deploymentName)
    await makeProject({
      folder,
      template,
      toolchain,
      install: this.install,
      packageRoot,
      report: step => this.print(`svc: ${step}`),
    })
    for (const deployment of deployments) await this.#deploy(folder, deployment, toolchain)
    this.print(this.#next(folder, toolchain, projectTemplates[template].plugin))
    const node = toolchain === "node" ? await oldNode() : undefined
    if (node !== undefined)
      this.print(`\nThis terminal runs Node ${node}. Install Node 22.12 or newer before you start the bot.`)
    return exit.ok
  }

  /** The first commands, as they work in this terminal. */
  #next(folder: string, toolchain: Toolchain, plugin: string): string {
    const {run, svc, install} = callOf(toolchain)
    const steps = facts([
      ...(folder === "." ? [] : [[`  cd ${quoted(folder)}`, ""] as const]),
      ...(this.install ? [] : [[`  ${install}`, "installs the dependencies"] as const]),
      [`  ${run} dev`, "starts it"],
      [`  ${svc} chat`, "talks to it, in a second terminal in the same folder"],
    ])
    const more = facts([
      [`  ${run} check`, "checks its types"],
      [`  ${run} test`, "tests it"],
      [`  ${svc} plugin new <name>`, "makes another plugin"],
      ...(this.deploy.length > 0 ? [] : [[`  ${svc} deploy add compose`, "puts it into a container"] as const]),
    ])
    return `
Your bot is ready:

${steps}

Then edit ${plugin}; the next message runs the new code. Keep the folder in git, with its lockfile. Later:

${more}`
  }

  async #deploy(folder: string, template: DeploymentName, runtime: Toolchain): Promise<void> {
    const plan = await planDeployment({template, project: folder, packageRoot, given: {runtime}})
    const written = await applyDeployment(folder, plan, {replaced: [], left: []})
    this.print(describePlan(plan, written))
  }

  #toolchain(): Toolchain {
    const given = this.toolchain ?? (process.versions.bun === undefined ? "node" : "bun")
    if (given === "bun" || given === "node") return given
    throw new Problem("request_invalid", `--runtime is bun or node, not "${given}"`)
  }
}
