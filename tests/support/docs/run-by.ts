const operator = "e2e/docs/operator-commands.test.ts"
const messages = "e2e/docs/message-commands.test.ts"
const team = "e2e/docs/team-commands.test.ts"
const examples = "e2e/docs/example-commands.test.ts"
const release = "e2e/docs/documented-commands.test.ts"
const schedule = "e2e/scheduler/documented.test.ts"
const compose = "deploy/compose.test.ts"
const systemd = "deploy/systemd.test.ts"

/** The test that runs the commands of a part of a page: page, `##` heading (empty above the first), file in tests/. */
export const runBy: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "docs/adapters/email.md": {"Channels and users": "e2e/adapters/email.test.ts"},
  "docs/adapters/sandbox.md": {"Set it up": messages},
  "docs/adapters/webhook.md": {"Set it up": messages},
  "docs/agents.md": {"Work items": team},
  "docs/agents/operate.md": {"": team, Evaluate: team, "After a restore": team},
  "docs/backup.md": {
    "Make one": release,
    "Take one from elsewhere": operator,
    "Restore one": release,
    "On a new machine": release,
    "Into an empty folder": release,
    "A remote database": operator,
    Secrets: operator,
  },
  "docs/delivery.md": {"Look at an event": messages},
  "docs/deploy/ci.md": {"": "deploy/ci.test.ts"},
  "docs/deploy/compose.md": {
    Start: compose,
    Use: compose,
    Secrets: compose,
    Backup: compose,
    Upgrade: compose,
    Rollback: compose,
  },
  "docs/deploy/gateway.md": {"": "deploy/gateway.test.ts"},
  "docs/deploy/service.md": {
    "Of your own user": systemd,
    "Of the system": systemd,
    "Without a service manager": "deploy/daemon.test.ts",
  },
  "docs/events.md": {"On the command line": messages, "The stream": messages},
  "docs/monitoring.md": {"": operator, Prometheus: operator},
  "docs/operate/away.md": {"What comes in": messages},
  "docs/operate/capacity.md": {"": operator, "When the disk fills": operator},
  "docs/operate/change.md": {
    "": operator,
    "Change the configuration from the console": operator,
    "Disable a plugin now": operator,
    "The Host tries a restart before it ends": operator,
    "Rotate the token": operator,
  },
  "docs/operate/check.md": {"In CI": operator, "After a deployment": operator},
  "docs/operate/incident.md": {"": release, "Cut a backlog": messages},
  "docs/operate/ingress.md": {"": operator},
  "docs/operate/logs.md": {"": operator, "Earlier runs": operator},
  "docs/operate/migrate.md": {"": release, "Go back": release},
  "docs/operate/permissions.md": {"What may this user do here?": operator},
  "docs/operate/release.md": {"": release},
  "docs/operate/rollback.md": {"": release},
  "docs/operate/run.md": {Start: operator},
  "docs/operate/state.md": {"When the database file is lost": operator},
  "docs/outbox.md": {"Look at a message": messages},
  "docs/plugins/first.md": {"Run it": messages},
  "docs/plugins/timers.md": {"Look after timers": messages},
  "docs/privacy.md": {"": messages},
  "docs/satori.md": {"Connect another application": messages, Files: messages},
  "docs/schedule.md": {"Add, look, try": schedule, "A plugin's job": schedule},
  "docs/workroom.md": {
    "From the command line": team,
    "Over HTTP": team,
    "What can go wrong": team,
  },
  "examples/agent/README.md": {"Run it": examples, "Try it": examples, "Evaluate it": examples},
  "examples/bridge/README.md": {"Run it": examples},
  "examples/files/README.md": {"Run it": examples, "Try it": examples},
}
