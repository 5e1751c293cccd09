import {Option} from "clipanion"
import {checkProject} from "../../server/doctor/project.ts"
import {checkPin} from "../../server/doctor/state.ts"
import {notReadyAfter, withUnready} from "../../shared/api/configuration/unready.ts"
import {formatIssue} from "../../shared/problems.ts"
import {describeFinding} from "../kit/finding.ts"
import {rowCommand} from "../kit/rows.ts"
import {describeProblem} from "../kit/svc-command.ts"

export const check = rowCommand({
  description: "check the configuration, including the keys of each plugin",
  details:
    "Loads every plugin and runs its setup, which opens no connection. Exits 0 if the Host would commit the configuration and its required components would be ready; " +
    "other agent bindings that are not configured are warnings.",
  examples: [["Before a release", "svc config check"]],
  options: {
    environment: Option.String("--environment", {
      description: "Reads .env.<name> over .env (default: the mode of the running Host, else development)",
    }),
  },
  run: async given => {
    const running = await given.get("/api/system/status").catch(() => undefined)
    const {problem, ...found} = await checkProject(given.folder, given.environment ?? running?.mode ?? "development")
    if (problem !== undefined) {
      if (given.json) given.print(JSON.stringify({ok: false, ...problem.body()}, undefined, 2))
      else given.tell(describeProblem(problem))
      return false
    }
    const {warnings, unready} = found
    const findings = [...found.findings, ...checkPin(running)]
    const ok = unready.length === 0
    if (!given.json) {
      for (const issue of warnings) given.tell(`svc: warning: ${formatIssue(issue)}`)
      for (const finding of findings) given.tell(`svc: ${describeFinding(finding)}`)
      if (!ok) given.tell(`svc: ${notReadyAfter(unready)}`)
    }
    given.show({ok, warnings, findings, ...withUnready(unready)}, () => "svc.config.yml is valid")
    return ok
  },
})
