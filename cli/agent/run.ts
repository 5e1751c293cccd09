import {Option} from "clipanion"
import {type Permission, permissions} from "../../shared/sdk/session/permission.ts"
import {followRun} from "../kit/agent/follow-run.ts"
import {approvalText, endText, stepLine} from "../kit/agent/run-text.ts"
import {rowCommand} from "../kit/rows.ts"
import type {DataCommand} from "../kit/svc-command.ts"

export const run = rowCommand({
  description: "ask an agent a question and print its answer",
  details: `
    Prints the steps to stderr as they happen, then the answer to stdout. Ctrl-C ends the wait, not the run. Exits 1 if the run does not succeed.

    With \`--no-wait\` it prints the run's id once the run is stored. Needs a running Host.
  `,
  examples: [
    ["A question", "svc agent run writer 'What is new in the docs?'"],
    ["Without waiting for the answer", "svc agent run writer 'Sum up the day' --no-wait"],
    ["With the tools of a trusted user", "svc agent run writer 'Tidy the board' --permission trusted"],
  ],
  options: {
    name: Option.String({name: "name"}),
    text: Option.String({name: "text"}),
    wait: Option.Boolean("--wait", true, {description: "Wait for the answer (default); --no-wait prints the run's id"}),
    permission: Option.String("--permission", {
      description: `The permission of its tools: ${permissions.join(", ")} (default: the binding's permission)`,
    }),
    request: Option.String("--request", {
      description: "A name for this question; a repeated call with the same name starts no second run",
    }),
  },
  run: async given => {
    const {id} = await given.post("/api/agents/:name/run", {
      name: given.name,
      body: {input: given.text, permission: given.permission as Permission | undefined, request: given.request},
    })
    if (given.wait) return follow(given, id)
    given.show({id}, () => id)
    return true
  },
})

const follow = async (given: DataCommand, runId: string): Promise<boolean> => {
  const ending = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ending.abort())
  const run = await followRun({
    project: given.folder,
    runId,
    signal: ending.signal,
    onStep: step => given.tell(stepLine(step)),
    onApproval: approval => given.tell(approvalText(approval)),
  })
  if (run === undefined) {
    given.tell(`svc: the run continues; svc agent show ${runId} shows its result`)
    return false
  }
  if (run.state === "succeeded" || given.json) given.show(run, endText)
  else given.tell(`svc: ${endText(run)}\n  hint: svc agent show ${runId}`)
  return run.state === "succeeded"
}
