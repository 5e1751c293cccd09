import {createInterface} from "node:readline"
import {Command, Option} from "clipanion"
import type {ApprovalView} from "../../shared/api/agents/agents.ts"
import type {Permission} from "../../shared/sdk/session/permission.ts"
import {followRun} from "../kit/agent/follow-run.ts"
import {approvalText, endText, stepLine} from "../kit/agent/run-text.ts"
import {SvcCommand} from "../kit/svc-command.ts"

export class AgentChat extends SvcCommand {
  static override usage = Command.Usage({
    description: "chat with an agent: each line starts a separate run",
    details: `
      Prints the steps of each run as they happen. When the agent asks for an approval, \`y\` approves the call, \`n\` denies it, and an empty line leaves the decision to another person. Ctrl-D ends the chat; an unfinished run continues.

      Runs share no memory. Needs a running Host.
    `,
    examples: [["Chat with the agent writer", "svc agent chat writer"]],
  })

  name = Option.String({name: "name"})
  permission = Option.String("--permission", {
    description: "The permission of its tools: user, trusted or admin (default: the binding's permission)",
  })

  async run(): Promise<boolean> {
    const {stdin, stdout} = this.context
    await this.get("/api/agents/:name", {name: this.name})
    const isInteractive = (stdin as NodeJS.ReadStream).isTTY === true
    const reader = createInterface({input: stdin, ...(isInteractive ? {output: stdout} : {}), prompt: "> "})
    const lines = reader[Symbol.asyncIterator]()
    const next = async (): Promise<string | undefined> => {
      if (isInteractive) reader.prompt()
      const {done, value} = await lines.next()
      return done === true ? undefined : value
    }
    let isOk = true
    for (let line = await next(); line !== undefined; line = await next()) {
      if (line.trim() === "") continue
      const hasSucceeded = await this.#ask(line, next).catch(error => {
        this.tell(this.describe(error))
        return false
      })
      if (!hasSucceeded) isOk = false
    }
    reader.close()
    return isInteractive || isOk
  }

  async #ask(input: string, next: () => Promise<string | undefined>): Promise<boolean> {
    const {id} = await this.post("/api/agents/:name/run", {
      name: this.name,
      body: {input, permission: this.permission as Permission | undefined},
    })
    const leaving = new AbortController()
    const run = await followRun({
      project: this.folder,
      runId: id,
      signal: leaving.signal,
      onStep: step => this.tell(stepLine(step)),
      onApproval: async approval => {
        if (!(await this.#decide(approval, next))) leaving.abort()
      },
    })
    if (run === undefined) {
      this.tell(`svc: the run waits; svc agent show ${id} shows its result`)
      return false
    }
    this.print(endText(run))
    return run.state === "succeeded"
  }

  /** Asks the person at the terminal. Resolves to whether they decided. */
  async #decide(approval: ApprovalView, next: () => Promise<string | undefined>): Promise<boolean> {
    this.tell(`${approvalText(approval)}\ny or n?`)
    const word = (await next())?.trim().toLowerCase() ?? ""
    if (word !== "y" && word !== "n") return false
    await this.post(`/api/approvals/:id/${word === "y" ? "approve" : "deny"}`, {id: approval.id, body: {}})
    return true
  }
}
