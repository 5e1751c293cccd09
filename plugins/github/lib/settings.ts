import {type Static, Type} from "svc-runtime"

const closed = {additionalProperties: false}

/** What can be told: GitHub's events, and `tag` for a push of a tag. */
export const kinds = [
  "push",
  "tag",
  "issues",
  "issue_comment",
  "pull_request",
  "pull_request_review",
  "release",
  "workflow_run",
  "discussion",
  "star",
  "fork",
] as const
export type Kind = (typeof kinds)[number]

const pattern = {minLength: 1, maxLength: 200}

const Rule = Type.Object(
  {
    repository: Type.String({
      ...pattern,
      description: "The repository, such as ann/shop. With *, several: ann/* are all of ann",
    }),
    events: Type.Array(Type.Enum([...kinds]), {
      default: ["push", "issues", "pull_request", "release", "workflow_run"],
      description: "Which events the bot tells",
    }),
    branches: Type.Array(Type.String(pattern), {
      default: ["*"],
      description:
        "Of which branches it tells pushes, pull requests (into them) and workflows, such as main or release/*",
    }),
    to: Type.Object(
      {
        endpoint: Type.Endpoint({description: "An endpoint of this bot, as svc endpoint list shows it"}),
        channel: Type.String({minLength: 1, description: "A channel of that endpoint"}),
      },
      {...closed, description: "Where the bot tells it"},
    ),
  },
  closed,
)
export type Rule = Static<typeof Rule>

export const Settings = Type.Object(
  {
    secret: Type.Secret({description: "The secret of the webhook on GitHub"}),
    tell: Type.Array(Rule, {maxItems: 200, description: "What the bot tells, and where"}),
    commits: Type.Integer({
      default: 5,
      minimum: 0,
      maximum: 20,
      description: "How many commits of a push the message lists, the newest ones",
    }),
    runs: Type.Enum(["failed", "all"], {
      default: "failed",
      description: "Which finished workflows it tells: those that failed, or all",
    }),
    botPushes: Type.Boolean({default: false, description: "Whether it tells what bots push"}),
  },
  closed,
)
export type Settings = Static<typeof Settings>

/** Does the text fit the pattern, in which * stands for any characters? */
const fits = (wanted: string, text: string): boolean => {
  const parts = wanted.toLowerCase().split("*")
  const [first = "", last = ""] = [parts[0], parts.at(-1)]
  const whole = text.toLowerCase()
  if (parts.length === 1) return whole === first
  if (whole.length < first.length + last.length || !whole.startsWith(first) || !whole.endsWith(last)) return false
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = whole.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= whole.length - last.length
}

/** What decides whether a rule wants an event. */
export interface About {
  readonly kind: Kind
  readonly repository: string
  readonly branch?: string | undefined
}

export const wants = (rule: Rule, {kind, repository, branch}: About): boolean =>
  rule.events.includes(kind) &&
  fits(rule.repository, repository) &&
  (branch === undefined || rule.branches.some(each => fits(each, branch)))
