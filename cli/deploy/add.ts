import {Command, Option} from "clipanion"
import {
  applyDeployment,
  changedFiles,
  type DeploymentPlan,
  deploymentName,
  planDeployment,
} from "../../server/process/deployment/deploy.ts"
import type {GivenValues} from "../../server/process/deployment/deployment-values.ts"
import {type DeploymentName, deployments} from "../../server/process/deployment/deployments.ts"
import {packageRoot} from "../../server/runtime/own-files.ts"
import {Problem} from "../../shared/problems.ts"
import {askIfSure} from "../kit/ask-line.ts"
import {describePlan, differences, outcome} from "../kit/deployment-view.ts"
import {DataCommand} from "../kit/svc-command.ts"

const templates = Object.entries(deployments).map(([name, {what}]) => `\`${name}\`: ${what}`)

export class DeployAdd extends DataCommand {
  static override usage = Command.Usage({
    description: "add the files of deployment templates to the project",
    details: `
      ${templates.join("; ")}.

      Name, port and runtime come from package.json, svc.config.yml and the lockfile. If a file differs from the template, the command asks before it overwrites it. Without a terminal it refuses and names the files.
    `,
    examples: [
      ["A container image with its Compose file", "svc deploy add compose"],
      ["Two templates", "svc deploy add compose ci"],
      ["Show what it would write, with the differences", "svc deploy add compose --dry-run"],
      ["Reset all files to the template", "svc deploy add compose --force"],
    ],
  })

  templates = Option.Rest({name: "template", required: 1})
  force = Option.Boolean("--force", false, {description: "Overwrite files that differ from the template"})
  dryRun = Option.Boolean("--dry-run", false, {description: "Only print what it would do, with the differences"})
  name = Option.String("--name", {description: "The name to use (default: the name in package.json)"})
  port = Option.String("--port", {description: "The port to use (default: http.port)"})
  runtime = Option.String("--runtime", {description: "bun or node (default: the lockfile decides)"})

  async run(): Promise<void> {
    const given = this.#given()
    const names = [...new Set(this.templates.map(deploymentName))]
    const plan = (template: DeploymentName) => planDeployment({template, project: this.folder, packageRoot, given})
    const replaced = this.dryRun ? [] : await this.#decide(await Promise.all(names.map(plan)))
    const done: [DeploymentPlan, readonly string[] | undefined][] = []
    // An earlier template may have written what several share.
    for (const name of names) {
      const now = await plan(name)
      done.push([now, this.dryRun ? undefined : await applyDeployment(this.folder, now, replaced)])
    }
    this.show(
      done.map(each => outcome(...each)),
      () => done.flatMap(each => [...(this.dryRun ? differences(each[0]) : []), describePlan(...each)]).join("\n"),
    )
  }

  #given(): GivenValues {
    const port = this.port === undefined ? undefined : Number(this.port)
    if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536))
      throw new Problem("request_invalid", `--port must be a number from 1 to 65535, not "${this.port}"`)
    const runtime = (["bun", "node"] as const).find(each => each === this.runtime)
    if (this.runtime !== undefined && runtime === undefined)
      throw new Problem("request_invalid", `--runtime must be bun or node, not "${this.runtime}"`)
    return {name: this.name, port, runtime}
  }

  /** Resolves to the changed files to overwrite. Throws `deployment_changed` if nobody can be asked. */
  async #decide(plans: readonly DeploymentPlan[]): Promise<readonly string[]> {
    const changed = [...new Set(plans.flatMap(changedFiles))]
    if (this.force || changed.length === 0) return changed
    if (this.json || process.stdin.isTTY !== true)
      throw new Problem("deployment_changed", `these files differ from the template: ${changed.join(", ")}`)
    const replaced: string[] = []
    for (const path of changed)
      if (await askIfSure(`${path} differs from the template. Overwrite it?`)) replaced.push(path)
    return replaced
  }
}
