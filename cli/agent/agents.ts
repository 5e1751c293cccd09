import {type CommandClass, Option, type Usage} from "clipanion"
import type {AgentMcpView, AgentRunView} from "../../shared/api/agents/agents.ts"
import type {ContextPart} from "../../shared/api/agents/context.ts"
import {Problem} from "../../shared/problems.ts"
import {answerIn, awaitAnswer} from "../kit/agent/sign-in.ts"
import {connectHost, type HostClient, unless} from "../kit/host-client.ts"
import {runs as agentRuns, decision} from "../kit/messages/decision.ts"
import {shorten} from "../kit/print.ts"
import {getCommand, listCommand, postCommand, rowCommand, tableOf} from "../kit/rows.ts"

const approval = (action: "approve" | "deny", usage: Usage): CommandClass =>
  rowCommand({
    ...usage,
    options: {
      id: Option.String({name: "approval"}),
      by: Option.String("--as", {
        description: "The name of the person who decides, for the record (default: operator)",
      }),
      reason: Option.String("--reason", {description: "The reason, for the model and the record"}),
    },
    run: async given => {
      const {by, reason} = given
      const host = await connectHost(given.folder)
      const id = await approvalOf(host, given.id)
      const decided = await host.post(`/api/approvals/:id/${action}`, {id, body: {by, reason}})
      given.show(decided, () => `${decided.state}: ${decided.tool} of ${decided.agent}, run ${decided.runId}`)
    },
  })

/** Returns the id of the approval that a run waits for, or the id itself. Throws `approval_unknown` if it waits for none. */
const approvalOf = async (host: HostClient, named: string): Promise<string> => {
  const run = await unless("run_unknown", host.get("/api/runs/:id", {id: named}))
  if (run?.kind !== "agent") return named
  const [waiting] = run.approvals.filter(({state}) => state === "waiting")
  if (waiting === undefined) throw new Problem("approval_unknown", `the run ${named} waits for no approval`)
  return waiting.id
}

export const approve = approval("approve", {
  description: "approve a tool call for which an agent waits",
  details: "Accepts the id of the approval, or of the run that waits for it. Needs a running Host.",
  examples: [
    ["A run that svc agent runs --state waiting lists", "svc agent approve 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
  ],
})

export const deny = approval("deny", {
  description: "deny a tool call for which an agent waits",
  details:
    "Accepts the id of the approval, or of the run that waits for it. The run continues without the call. Needs a running Host.",
  examples: [["With a reason", "svc agent deny 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e --reason 'the wrong channel'"]],
})

export const cancel = postCommand({
  description: "cancel a run of an agent",
  details: "The Host aborts the request to the provider. Effects of tools that have run remain. Needs a running Host.",
  examples: [["A run that svc agent runs lists", "svc agent cancel 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"]],
  options: {id: Option.String({name: "run"})},
  path: "/api/runs/:id/cancel",
  describe: ({runId, state}) => `${runId} is ${state}`,
})

export const check = rowCommand({
  description: "call each model of an agent once to check that it answers",
  details: "Providers may charge for the calls. Exits 1 if a model does not answer. Needs a running Host.",
  examples: [["Check the key, the address and the model", "svc agent check writer"]],
  options: {name: Option.String({name: "name"})},
  run: async given => {
    const found = await given.post("/api/agents/:name/check", {name: given.name})
    const checks = [found, ...found.fallbacks]
    const answered = checks.filter(({ok}) => ok)
    const shown = answered.map(({model, milliseconds, tokens}) => {
      const cost = tokens === null ? "" : ` with ${tokens} tokens`
      return `${model} answered in ${milliseconds} ms${cost}`
    })
    if (shown.length > 0 || given.json) given.show(found, () => shown.join("\n"))
    if (!given.json)
      for (const {ok, model, problem, hint} of checks)
        if (!ok) given.tell(`svc: ${model}: ${problem}${hint === null ? "" : `\n  hint: ${hint}`}`)
    return answered.length === checks.length
  },
})

export const mcp = rowCommand({
  description: "list the MCP servers of agents with their tools, or accept changed tools",
  details: `
    A server starts when an agent first needs it. svc accepts its tools then; a tool that it changes or adds later is \`waiting\`, and no agent calls it before you accept it.

    Needs a running Host.
  `,
  examples: [
    ["All servers", "svc agent mcp"],
    ["Accept what the server files of an agent has changed", "svc agent mcp writer --accept files"],
    ["Accept one tool", "svc agent mcp writer --accept files.read_file"],
    ["Sign in to a server with oauth", "svc agent mcp writer tracker --sign-in"],
  ],
  options: {
    name: Option.String({name: "agent", required: false}),
    server: Option.String({name: "server", required: false}),
    signIn: Option.Boolean("--sign-in", false, {description: "Sign in to the server with OAuth, in a browser"}),
    answer: Option.String("--answer", {
      description: "With --sign-in: the address to which an earlier sign-in has led the browser",
    }),
    port: Option.String("--port", "0", {
      description: "With --sign-in: the port of this machine to which the browser returns (default: any)",
    }),
    accept: Option.String("--accept", {description: "A server, or a tool as <server>.<tool>"}),
  },
  run: async given => {
    const {name, server: named, accept, signIn, answer} = given
    const host = await connectHost(given.folder)
    if (accept !== undefined) {
      if (name === undefined) throw new Problem("request_invalid", "--accept needs the name of the agent")
      const [server = "", ...rest] = accept.split(".")
      const body = rest.length === 0 ? {} : {tool: rest.join(".")}
      const {tools} = await host.post("/api/agents/:name/mcp/:server/accept", {name, server, body})
      return given.show({tools}, () => `${tools} ${tools === 1 ? "tool is" : "tools are"} accepted`)
    }
    if (signIn) {
      if (name === undefined || named === undefined)
        throw new Problem("request_invalid", "--sign-in needs the names of an agent and its server")
      const at = {name, server: named}
      const begin = async (redirect: string) =>
        (await host.post("/api/agents/:name/mcp/:server/sign-in", {...at, body: {redirect}})).url
      const tell = (text: string) => given.tell(text)
      const body = answer === undefined ? await awaitAnswer(portOf(given.port), begin, tell) : answerIn(answer)
      const signedIn = await host.post("/api/agents/:name/mcp/:server/answer", {...at, body})
      return given.show(signedIn, () => `svc is signed in to ${named}`)
    }
    const items =
      name === undefined ? (await host.get("/api/agents")).items : [await host.get("/api/agents/:name", {name})]
    const servers = items
      .flatMap(agent => agent.mcp.map(server => ({agent: agent.name, ...server})))
      .filter(each => named === undefined || each.name === named)
    return given.show(servers, () => serversText(servers))
  },
})

const portOf = (text: string): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new Problem("request_invalid", `--port ${text} is no port`)
}

const serversText = (servers: readonly (AgentMcpView & {readonly agent: string})[]): string =>
  servers.length === 0
    ? "no agent has an MCP server"
    : tableOf(
        {
          agent: ({agent}) => agent,
          server: ({name}) => name,
          state: ({state}) => state,
          tools: ({tools}) =>
            tools.map(({name, state}) => (state === "accepted" ? name : `${name} (${state})`)).join(", "),
          error: ({error}) => error,
        },
        servers,
      )

export const context = getCommand({
  description: "show what a run sent to its model with each call, and the tokens of each part",
  details: "Needs a running Host. `--json` prints whole texts. What was forgotten since is shown as forgotten.",
  examples: [["A run that svc agent runs lists", "svc agent context 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"]],
  options: {id: Option.String({name: "run"})},
  path: "/api/runs/:id/context",
  describe: ({calls}) =>
    calls
      .map(({step, model, exact, tokens, tokensIn, parts}) => {
        const counted = tokensIn === null ? "" : `, ${tokensIn} as the provider counts`
        const note = exact ? "" : "; some of it has changed or was forgotten since"
        const columns = {
          part: ({part}: ContextPart) => part,
          id: ({id}: ContextPart) => id,
          from: ({at}: ContextPart) => at,
          state: ({state}: ContextPart) => state,
          tokens: (each: ContextPart) => each.tokens,
          text: ({text}: ContextPart) => shorten(text ?? "", 60),
        }
        return `step ${step}, ${model}: ${tokens} tokens${counted}${note}\n${tableOf(columns, parts)}`
      })
      .join("\n\n"),
})

export const discard = decision(agentRuns, "discard", {
  description: "discard runs of agents that are held, or with filters those that are queued or wait",
  examples: [
    ["One held run", "svc agent discard 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ["All held runs", "svc agent discard --held"],
    ["Runs that began to wait an hour ago or earlier", "svc agent discard --older 1h --dry-run"],
  ],
})

export const hold = decision(agentRuns, "hold", {
  description: "hold runs of agents that are queued or wait, until svc agent release or discard",
  examples: [["All runs of one agent", "svc agent hold --agent writer"]],
})

export const release = decision(agentRuns, "release", {
  description: "continue a held run of an agent",
  examples: [
    ["One run", "svc agent release 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ["All held runs", "svc agent release --held"],
  ],
})

export const list = getCommand({
  description: "list the agent bindings with their state and their runs",
  details: "Needs a running Host. If the Host is stopped, svc config check names the bindings that are not configured.",
  examples: [["All agents", "svc agent list"]],
  path: "/api/agents",
  describe: ({items}) =>
    items.length === 0
      ? "the configuration has no agents"
      : tableOf(
          {
            agent: ({name}) => name,
            model: ({provider, model, models}) => {
              const fallback = models.slice(1).find(({inUse}) => inUse)
              return `${provider} ${model}${fallback === undefined ? "" : `, now ${fallback.model}`}`
            },
            state: ({configured, reason}) => (configured ? "configured" : reason),
            open: ({runs}) => runs.queued + runs.running,
            waiting: ({runs}) => runs.waiting,
            succeeded: ({runs}) => runs.succeeded,
            failed: ({runs}) => runs.failed,
            cancelled: ({runs}) => runs.cancelled,
            approvals: ({approvals}) => approvals,
            today: ({today}) => `${today.tokens} tokens`,
          },
          items,
        ),
})

export const runs = listCommand({
  description: "list runs of agents, newest first",
  details: "Needs a running Host.",
  examples: [
    ["The newest runs", "svc agent runs"],
    ["Runs that wait for an approval", "svc agent runs --state waiting"],
    ["Failed runs of one agent", "svc agent runs --agent writer --state failed"],
  ],
  path: "/api/runs",
  filters: {
    kind: "agent",
    agent: Option.String("--agent", {description: "Only runs of this agent"}),
    state: Option.String("--state", {
      description: "Only runs in this state: queued, running, waiting, held, succeeded, failed or cancelled",
    }),
  },
  columns: {
    run: ({runId}: AgentRunView) => runId,
    agent: ({agent}) => agent,
    created: ({createdAt}) => createdAt,
    trigger: ({trigger}) => trigger,
    state: ({state}) => state,
    reason: ({reason, waitsFor}) => reason ?? waitsFor,
    steps: ({steps}) => steps,
    tokens: ({tokens}) => tokens,
    error: ({error}) => shorten(error ?? "", 40),
  },
})
