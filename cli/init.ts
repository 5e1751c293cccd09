import {Command, Option} from "clipanion"
import {applyDeployment, deploymentName, planDeployment} from "../server/process/deployment/deploy.ts"
import type {DeploymentName} from "../server/process/deployment/deployments.ts"
import {makeProject, oldNode, requirePlace} from "../server/process/new-project.ts"
import {projectTemplates, templateName, templateNames} from "../server/process/project-templates.ts"
import {callOf, quoted, type Toolchain} from "../server/process/toolchain.ts"
import {packageRoot} from "../server/runtime/own-files.ts"
import {Problem} from "../shared/problems.ts"
import {describePlan} from "./kit/deployment-view.ts"
import {makeAccount, setUpPlatforms} from "./kit/first-account.ts"
import {facts, table} from "./kit/print.ts"
import {SvcCommand} from "./kit/svc-command.ts"

const summaries = templateNames.map(name => [name, projectTemplates[name].summary] as const)

export class Init extends SvcCommand {
  static override usage = Command.Usage({
    description: "create a new project",
    details: `
      Writes svc.config.yml, a plugin with its test, package.json, and the svc package as a tarball in vendor/; then installs the dependencies.

      The folder must be empty or must not exist; the default is the current folder.

      With --platform, the bot gets an account on a chat platform: svc asks for its token, or reads it from the environment if there is no terminal, and has the platform check it before it writes anything. The token goes to .env.

      The templates are ${summaries.map(([name, summary]) => `\`${name}\` (${summary})`).join("; ")}.
    `,
    examples: [
      ["A project in ./my-bot", "svc init my-bot"],
      ["List the templates", "svc init --list"],
      ["A bot that reminds people", "svc init my-bot --template reminders"],
      ["A bot on Telegram", "svc init my-bot --platform telegram"],
      ["A project that runs on Node", "svc init my-bot --runtime node"],
      ["With a container image and its Compose file", "svc init my-bot --deploy compose"],
    ],
  })

  target = Option.String({name: "folder", required: false})
  template = Option.String("--template", "starter", {description: `${templateNames.join(", ")} (default: starter)`})
  list = Option.Boolean("--list", false, {description: "List the templates and create nothing"})
  toolchain = Option.String("--runtime", {description: "bun or node (default: the runtime of this command)"})
  install = Option.Boolean("--install", true, {
    description: "Install the dependencies (default); --no-install does not",
  })

  platform = Option.String("--platform", {description: `Also add an account: ${setUpPlatforms.join(", ")}`})
  apiUrl = Option.String("--api-url", {description: "The address of the platform's API, if it is not the usual one"})
  check = Option.Boolean("--check", true, {
    description: "Have the platform check the account (default); --no-check does not",
  })

  deploy = Option.Array("--deploy", [], {
    description: "Also add this deployment template, like svc deploy add; repeatable",
  })

  async run(): Promise<void> {
    if (this.list) {
      this.print(table(["template", "description"], summaries))
      return
    }
    const folder = this.target ?? "."
    const template = templateName(this.template)
    const toolchain = this.#toolchain()
    const deployments = this.deploy.map(deploymentName)
    await requirePlace({folder, toolchain})
    const first = this.platform === undefined ? undefined : await makeAccount(this.platform, this)
    if (first?.met.name !== undefined) this.print(`svc: checked: ${first.met.name} on ${first.title}`)
    await makeProject({
      account: first?.account,
      folder,
      template,
      toolchain,
      install: this.install,
      packageRoot,
      report: step => this.print(`svc: ${step}`),
    })
    for (const deployment of deployments) await this.#deploy(folder, deployment, toolchain)
    this.print(this.#next(folder, toolchain, projectTemplates[template].plugin))
    if (first !== undefined) this.print(`\nOn ${first.title}:\n\n  ${first.met.next.join("\n  ")}`)
    const node = toolchain === "node" ? await oldNode() : undefined
    if (node !== undefined)
      this.print(`\nThis terminal runs Node ${node}. Install Node 22.12 or newer before you start the bot.`)
  }

  /** Returns the next commands, in the form that works in this terminal. */
  #next(folder: string, toolchain: Toolchain, plugin: string): string {
    const {run, svc, install} = callOf(toolchain)
    const steps = facts([
      [`  cd ${quoted(folder)}`, folder === "." ? null : ""],
      [`  ${install}`, this.install ? null : "installs the dependencies"],
      [`  ${run} dev`, "starts the bot"],
      [`  ${svc} chat`, "chats with it, in a second terminal in the same folder"],
    ])
    const more = facts([
      [`  ${run} check`, "checks the types"],
      [`  ${run} test`, "runs the tests"],
      [`  ${svc} plugin new <name>`, "creates another plugin"],
      [`  ${svc} deploy add compose`, this.deploy.length > 0 ? null : "adds a container image"],
    ])
    return `
Your bot is ready:

${steps}

Then edit ${plugin}: the next message runs the new code. Commit the folder to git, including the lockfile. Later:

${more}`
  }

  async #deploy(folder: string, template: DeploymentName, runtime: Toolchain): Promise<void> {
    const plan = await planDeployment({template, project: folder, packageRoot, given: {runtime}})
    const written = await applyDeployment(folder, plan, [])
    this.print(describePlan(plan, written))
  }

  #toolchain(): Toolchain {
    const given = this.toolchain ?? (process.versions.bun === undefined ? "node" : "bun")
    if (given === "bun" || given === "node") return given
    throw new Problem("request_invalid", `--runtime must be bun or node, not "${given}"`)
  }
}
