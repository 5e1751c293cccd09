/** Makes the rows of a frequent status. */
const rows = (status: number) => (title: string, hint: string) => ({status, title, hint})
const missing = rows(404)
const malformed = rows(400)
const forbidden = rows(403)
const refused = rows(409)
const invalid = rows(422)
const tooMany = rows(429)
const badGateway = rows(502)
const unavailable = rows(503)

/**
 * Every failure that a person or a program can meet, by its stable code: the HTTP status, a title, and a hint that says
 * what to do. `docs/reference/problems.md` is generated from this table.
 */
export const problems = {
  // Requests
  unauthorized: {status: 401, title: "No valid token", hint: "Send the Host token as Authorization: Bearer <token>."},
  forbidden: forbidden("The token's scope does not allow this", "Use the full token (http.token)."),
  too_many_failures: tooMany(
    "Too many requests with a wrong token or signature",
    "Wait for the seconds in Retry-After. The Host still accepts a valid token or signature.",
  ),
  too_many_requests: tooMany("Too many requests", "Retry after the seconds in Retry-After."),
  not_found: missing("There is nothing at this path", "GET /api/openapi.json lists the paths."),
  method_not_allowed: {status: 405, title: "Method not allowed", hint: "Use a method from the Allow header."},
  body_too_large: {status: 413, title: "Request body too large", hint: "Send at most 1 MiB."},
  request_invalid: malformed("The request is not valid", "Correct what detail names; see GET /api/openapi.json."),
  host_invalid: malformed("The Host header is not valid", "Send one Host header: a name or address, perhaps a port."),
  origin_refused: forbidden(
    "The Host header or the origin is none of the configuration",
    "Add the name to http.mcp, or the origin to http.corsOrigins, then run svc runtime reload.",
  ),
  path_invalid: malformed("The request's path is not valid", "Send a path without control characters."),
  no_room: unavailable("The Host has no room for this now", "Retry after the seconds in Retry-After."),
  unsupported_media_type: {status: 415, title: "Unsupported content type", hint: "Send application/json."},
  request_timeout: unavailable("The request took too long", "Retry later."),
  starting: unavailable("The Host is starting", "Retry after the seconds in Retry-After."),
  stopping: unavailable("The Host is stopping", "Retry once the Host has restarted."),
  internal: {status: 500, title: "Internal error", hint: "The Host's log has the cause under this requestId."},
  conflict: refused("The state does not allow this", "Read the current state and try again."),
  console_missing: missing("The console was not built", "In a clone of svc, run: bun run build"),
  no_supervisor: refused(
    "No supervisor would restart this Host",
    'Run the Host under a supervisor; in a container, with a restart policy and SVC_SUPERVISOR=docker. Or confirm: --confirm, over the API {"confirm": true}.',
  ),
  restart_limit: tooMany(
    "The Host has restarted too often",
    "Repeat it at the time that detail names. The Host keeps running until then. --confirm does not help here.",
  ),
  other_supervisor: refused("Another supervisor owns the restarts", "Use its command: only one may restart a Host."),
  daemon_failed: unavailable(
    "The daemon gave up restarting the Host",
    "Read .svc/runtime.log, correct the error, then start the daemon again.",
  ),
  service_refused: refused(
    "The service cannot be installed like this",
    "Correct the path, the owner or the setting that detail names, then repeat the command. Nothing was changed.",
  ),
  service_failed: unavailable("The service manager refused", "See detail and the manager's log, then repeat it."),
  alert_target_unknown: missing("No such target of alerts", "svc alert list shows those of alerts.targets."),
  alerts_off: refused("Alerts have no target", "Add one to alerts.targets in svc.config.yml, then: svc runtime reload"),
  // Configuration and environment
  project_missing: invalid("No project here", "Run svc beside svc.config.yml, with --project, or make one: svc init."),
  config_invalid: invalid("The configuration is not valid", "Correct svc.config.yml, then run svc doctor."),
  config_changed: refused("The configuration file has changed", "Read it again and repeat the change on its text."),
  config_not_editable: invalid(
    "svc cannot make this change in the file as it is written",
    "Edit the file by hand: an anchor, an alias, a broken line or a program to start prevents the change.",
  ),
  token_missing: invalid(
    "Production needs a token",
    "Set http.token to ${HTTP_TOKEN} and put a long random HTTP_TOKEN into the environment or .env.",
  ),
  token_placeholder: invalid("The token is a placeholder", "Replace HTTP_TOKEN by the output of: openssl rand -hex 32"),
  token_weak: invalid("The token is easy to guess", "Replace its variable by the output of: openssl rand -hex 32"),
  runtime_too_old: invalid("The runtime is too old", "Run the Host on Bun, or on Node 22.12 or newer."),
  // Process
  locked: refused("Another process holds this project", "Stop it with svc runtime stop, or wait for it."),
  port_taken: refused("The port is in use", "Stop what uses it, or set http.port: HTTP_PORT in .env of a new project."),
  host_unreachable: unavailable("The Host does not answer", "Start it with svc runtime start."),
  state_unwritable: unavailable(
    "The state folder cannot be written",
    "Make .svc/ a folder that the Host's user owns, on a disk with free space.",
  ),
  // Deployment templates
  deployment_changed: refused(
    "Files of the deployment were changed",
    "svc deploy add <template> --dry-run shows the differences; --force replaces the files.",
  ),
  deployment_refused: invalid(
    "The template does not fit the project",
    "Set in package.json or svc.config.yml what detail names, then repeat the command.",
  ),
  // Satori
  login_unknown: forbidden("No such login", "Send the Satori-Platform and Satori-User-ID of POST /satori/v1/meta."),
  not_supported: missing("The platform does not have this", "The login's features name what it supports."),
  platform_failed: badGateway(
    "The platform refused, failed or did not answer",
    "Correct what detail names. svc outbox show has the outcome of an act, and the Host's log has the cause.",
  ),
  endpoint_offline: unavailable("The endpoint is offline", "Retry once svc endpoint show says online."),
  not_implemented: {status: 501, title: "The Host does not implement this", hint: "docs/satori.md lists the methods."},
  upgrade_required: {status: 426, title: "This is a WebSocket", hint: "Connect with a WebSocket client."},
  too_many_connections: unavailable("Too many connections without a token", "Send a token, or retry later."),
  // Database
  database_unopenable: unavailable("The database cannot be opened", "Check path and permissions, then run svc doctor."),
  database_unanswered: unavailable(
    "The remote database does not answer in time",
    "Check the network and the database's server. The Host recovers as soon as it answers.",
  ),
  database_stalled: unavailable("The disk takes too long to sync", "Check the disk: the Host recovers with it."),
  database_corrupt: unavailable(
    "The database is damaged",
    "Keep a copy of the file. Create a checkpoint; else run svc database rescue; else restore: svc checkpoint restore.",
  ),
  database_older: unavailable(
    "The database is an older copy",
    "Put the newest copy back. To continue without what it lacks: svc database accept-older.",
  ),
  database_newer: unavailable(
    "The database was written by a newer version",
    "Start the version that wrote it, or restore the checkpoint from before the upgrade.",
  ),
  database_busy: unavailable("The database is locked by another process", "Stop the other process, then retry."),
  database_full: unavailable("The disk is full", "Free space on the disk of the database, then retry."),
  database_replaced: unavailable(
    "The database file was removed, replaced or changed",
    "Run svc database rescue: the Host writes its data into a new file. Do not stop or kill the Host before that.",
  ),
  rescue_not_needed: refused("The database file is in its place", "For a copy, use svc checkpoint create."),
  rescue_failed: unavailable(
    "The rescue of the database failed",
    "The Host still has the data. Correct what detail names, or name another file with --to. Do not stop the Host until the rescue has succeeded.",
  ),
  lock_lost: unavailable(
    "The project's lock was removed or replaced",
    "The Host exits with code 75, and the next start takes the lock. Do not touch .svc/host.lock while a Host runs.",
  ),
  database_failed: unavailable("The database failed", "Run svc doctor. The Host's log has the cause."),
  database_outcome_unknown: unavailable("The change may be stored or not", "Read the state before you repeat it."),
  migration_refused: unavailable(
    "The Host did not start a migration that cannot be undone",
    "Free the space or repair the checkpoint that detail names, then start again. The database is unchanged.",
  ),
  compact_unavailable: refused(
    "The database cannot be compacted while it is in use",
    "Stop the Host, then run svc database compact. A remote database's server compacts it.",
  ),
  compact_busy: refused("The database is already being compacted", "svc database compact --follow shows its progress."),
  compact_no_space: refused("There is too little free space to compact", "Free as much space as the database uses."),
  database_refused: refused("The database refused the change", "Correct the statement or value that detail names."),
  authority_mismatch: unavailable(
    "Parts of the state come from two different histories",
    "Restore everything from one checkpoint. detail names the parts and their authorities.",
  ),
  lease_lost: unavailable("Another Host took over the database", "Run one Host for a remote database: stop the other."),
  // Checkpoints
  checkpoint_unknown: missing("No such checkpoint", "svc checkpoint list shows the existing ones."),
  checkpoint_busy: refused(
    "svc is making, verifying or receiving a checkpoint",
    "Wait for it. The console shows its progress, and so do GET /api/checkpoints/task and GET /api/checkpoints/archive.",
  ),
  checkpoint_failed: unavailable(
    "The checkpoint was not made",
    "Repair the disk, the database or the file that detail names, then repeat it. Earlier checkpoints are untouched.",
  ),
  checkpoint_invalid: invalid(
    "The checkpoint was changed or damaged",
    "Use another one: svc checkpoint list. If this is the only one, keep it and look for an undamaged copy.",
  ),
  checkpoint_too_large: invalid(
    "The unpacked archive would be larger than any checkpoint",
    "Find out where the archive comes from. If you trust it, unpack it yourself and name its folder instead.",
  ),
  checkpoint_differs: refused(
    "Another checkpoint has this id",
    "Keep the stored one: svc checkpoint show <id>. To inspect the other: svc checkpoint verify <archive>.",
  ),
  checkpoint_no_space: unavailable(
    "The disk has too little space for the checkpoint",
    "Free space, let svc checkpoint prune remove older ones, or lower ingress.minimumFree.",
  ),
  checkpoint_newer: invalid("The checkpoint was made by a newer version", "Use the svc that made it, or a newer one."),
  checkpoint_secret: refused("The checkpoint would contain a secret", "Put ${NAME} in its place, and rotate it."),
  checkpoint_secret_in_data: refused(
    "The checkpoint's data contains a secret",
    "Rotate the secret; svc checkpoint show names the rows: svc inbox redact, svc outbox redact, then svc checkpoint create.",
  ),
  restore_point_missing: invalid(
    "A remote database is backed up with its own tool",
    "Make that backup, then name it: svc checkpoint create --external-restore-point <id>.",
  ),
  restore_refused: refused(
    "The checkpoint was not restored",
    "Remove the obstacle that detail names, or choose another checkpoint: svc checkpoint list. Nothing was changed.",
  ),
  restore_mismatch: refused(
    "The project has other code or packages than the checkpoint",
    "svc rollback brings code and data back together. Or restore with --data-only or --with-packages.",
  ),
  restore_unfinished: unavailable(
    "An interrupted restore cannot be finished",
    "Correct what detail names. The next start or command finishes the restore, or undoes it.",
  ),
  // Releases
  release_refused: refused("The release's state does not allow this", "svc release status shows the next step."),
  release_not_verified: refused(
    "The running commit was not verified",
    "Run svc release verify, or svc release complete --unverified <reason>.",
  ),
  release_not_ready: refused("The Host is not ready", "Correct what svc doctor names, or run svc release abort."),
  rollback_refused: refused(
    "The project cannot roll back to this checkpoint",
    "Remove the obstacle that detail names, or choose another checkpoint: svc checkpoint list. Nothing was changed.",
  ),
  side_effects: refused(
    "Messages were sent since the checkpoint",
    "They cannot be unsent. Look at them, then repeat the command with --accept-side-effects.",
  ),
  release_record_damaged: unavailable(
    "The record of releases is damaged",
    "Move .svc/releases.jsonl aside and keep it for diagnosis. svc then starts a new record.",
  ),
  // Generations and plugins
  generation_failed: invalid(
    "The generation was not committed",
    "The running generation is unchanged. Correct the file and line that detail names, then save or reload.",
  ),
  generation_unknown: missing("No such generation", "svc generation list shows the kept ones."),
  restart_required: refused("This change needs a restart", "Run svc runtime restart. Until then nothing changes."),
  trial_failed: invalid(
    "The next start would fail",
    "Correct what detail names; the Host keeps running. --force skips the trial.",
  ),
  not_tried: refused(
    "The trial of the change did not run",
    'Correct what detail names. The Host keeps running. To restart without a trial: --force, over the API {"force": true}.',
  ),
  plugin_unknown: missing("No such plugin", "GET /api/plugins lists them."),
  plugin_missing: invalid("The plugin was not found", "Put it into plugins/, install the package, or correct use:."),
  last_good_unfit: refused(
    "The last good generation does not fit the data",
    "Correct the project, or roll back code and data: svc rollback <checkpoint>.",
  ),
  build_stale: invalid(
    "The build does not match the source",
    "Run svc build (or svc release install), then retry. In an emergency, start with --allow-stale.",
  ),
  plugin_invalid: invalid("The plugin does not load", "Correct the plugin. The running generation is unchanged."),
  compiler_missing: invalid("The plugin compiler is not installed", "Install esbuild, or run the output of svc build."),
  plugin_incompatible: invalid(
    "The plugin is for another version of svc",
    "Install a version of the package whose peerDependencies name this svc-runtime, or another svc.",
  ),
  service_missing: invalid(
    "A plugin uses a service that no plugin provides",
    "Enable a plugin that calls plugin.provide with this name (the built-in plugin workroom provides the service workroom), or correct uses in definePlugin. The running generation is unchanged.",
  ),
  service_circular: invalid(
    "Plugins use each other's services in a circle",
    "Move what both need into a third plugin that both use. The running generation is unchanged.",
  ),
  plugin_newer: invalid(
    "The tables of the plugin are newer than its code",
    "Install the plugin version that made them, or restore earlier data: svc checkpoint list, svc checkpoint restore <id> --data-only.",
  ),
  plugin_timeout: invalid("The plugin's setup took too long", "It has 10 s. Connect in an adapter's open instead."),
  // Messages
  endpoint_unknown: missing("No such endpoint", "svc endpoint list shows them."),
  admission_closed: unavailable("The endpoint is closed to events", "GET /api/endpoints shows its state and reason."),
  signature_invalid: forbidden(
    "The webhook's signature is not valid",
    "Compare the secret and the clock on both sides. The body must arrive unchanged.",
  ),
  ingress_paused: unavailable(
    "Ingress is paused",
    "svc ingress status says why. svc ingress resume ends an operator's pause.",
  ),
  event_invalid: malformed("The event is not valid", "Give it the user, channel, message or data that detail names."),
  log_unknown: missing("The Host has no log of this run", "svc logs --runs lists the kept logs."),
  inbox_unknown: missing("No such inbox event", "svc inbox list shows the newest."),
  inbox_state: refused("The state of the event's handlers does not allow this", "svc inbox show lists their states."),
  prompt_unknown: invalid("The plugin declares no such prompt", "Declare it in setup, with plugin.prompt."),
  form_unknown: invalid("The plugin declares no such form", "Declare it in setup, with plugin.form."),
  target_invalid: invalid(
    "The target is not valid",
    "A target is {endpoint, channel} or {endpoint, user}. Name a message by its outbox id, or by {platform, channel, endpoint}.",
  ),
  content_invalid: invalid("This is not valid message content", "Send text, an h() element or a non-empty list."),
  file_refused: invalid(
    "The Host does not read this file",
    "A platform's files need an adapter with the feature download. List your own servers in files.allowPrivate.",
  ),
  file_too_large: {
    status: 413,
    title: "The file is too large",
    hint: "Send a smaller file, or a link to it. A plugin that reads files may allow more: read({limit}).",
  },
  file_unavailable: badGateway(
    "The file cannot be read now",
    "Send it again. If the platform requires authorisation, the adapter needs the feature download.",
  ),
  unsupported: invalid("The endpoint cannot do this", "GET /api/endpoints lists the features of each endpoint."),
  file_path_refused: invalid(
    "The file cannot be sent",
    "Name a regular file of the project in file(path), or an absolute path, but not .svc/, .env or the configuration.",
  ),
  files_full: unavailable(
    "The stored files fill their quota",
    "Raise files.quota in svc.config.yml, or lower retention.sent so that the Host deletes messages sooner.",
  ),
  outbox_unknown: missing("No such outbox message", "svc outbox list shows the newest."),
  outbox_state: refused("The message's state does not allow this", "svc outbox show shows its state."),
  text_unknown: invalid("The plugin declares no such text", "Add the key to the table that it passes to plugin.texts."),
  text_invalid: invalid(
    "The text does not accept these values",
    "Give every value that the message names in braces, with the type that its format needs.",
  ),
  state_unknown: invalid("The plugin declares no such state", "Declare it in setup, with plugin.state."),
  state_invalid: invalid(
    "The state does not fit its schema",
    "Correct the value. If the schema changed since it was stored, give the plugin's state another name.",
  ),
  row_invalid: {
    status: 500,
    title: "A row does not fit its schema",
    hint: "Correct the plugin's schema or its statement. detail names the column.",
  },
  timer_unknown: missing("No such timer", "svc timer list shows timers; a plugin declares its own with plugin.timer."),
  timer_invalid: invalid("The timer is not valid", "Correct the time, the key or the data that detail names."),
  timer_state: refused("The timer's state does not allow this", "svc timer show shows its state."),
  // Workroom
  workroom_unknown: missing("No such work item", "svc workroom list shows them."),
  workroom_stale: refused("The work item has changed", "Read the item, then repeat the command with its revision."),
  workroom_state: refused(
    "The work item's state does not allow this",
    "svc workroom show shows its state. docs/workroom.md lists the states and their commands.",
  ),
  workroom_failed: unavailable(
    "The workroom's Journal could not be written",
    "Free space on the disk of .svc/ and read the log. The command was not carried out.",
  ),
  workroom_outcome_unknown: unavailable("The command may be recorded or not", "Read the item before you repeat it."),
  workroom_damaged: unavailable(
    "The workroom's store is damaged",
    "Keep the files and restore a checkpoint. If only the Catalog is damaged: svc workroom verify --rebuild.",
  ),
  workroom_elsewhere: invalid(
    "The work items are in the other store",
    "Set workroom.store back to what detail names. svc does not move items between stores.",
  ),
  // Scheduled jobs
  jobs_invalid: invalid("The job file is not valid", "Correct data/schedule-jobs.json. The current jobs stay."),
  job_unknown: missing("No such job", "svc schedule list shows them."),
  run_unknown: missing("The job has no such run", "svc schedule runs shows the newest."),
  run_state: refused("The run's state does not allow this", "svc schedule runs shows its state."),
  agent_unknown: missing("No such agent", "svc agent list shows the bindings of agents."),
  agent_disabled: refused("The agent is disabled", "Remove agents.<name>.enabled: false, then: svc runtime reload"),
  agent_misconfigured: refused("The agent is not configured", "svc agent show <name> says what is missing."),
  agent_limit: tooMany(
    "The agent has reached a limit",
    "svc agent show <name> shows its limits. Daily limits reset at midnight, UTC.",
  ),
  agent_run_unknown: missing("The agent has no such run", "svc agent runs shows the newest."),
  agent_run_state: refused("The state of the agent's run does not allow this", "svc agent show <run> shows its state."),
  mcp_unknown: missing("No such MCP server or tool", "svc agent mcp lists them."),
  mcp_sign_in: refused(
    "The sign-in to the MCP server failed",
    "svc agent mcp <agent> <server> --sign-in begins again. detail says what was wrong.",
  ),
  approval_unknown: missing("No such approval", "svc agent runs --state waiting lists the waiting ones."),
  approval_state: refused(
    "The approval is not waiting for a decision",
    "The first decision counts. If its run is held: svc agent release <run>",
  ),
  pairing_unknown: missing(
    "No such code is open",
    "A code works for 7 days: the user gets another one for a direct message. The console lists the open ones.",
  ),
  tool_effect: refused(
    "The tool's effect does not allow this",
    'Declare the tool with effect: "transaction". The Host then stores its messages and writes together with the call.',
  ),
  not_active: refused(
    "The plugin is not active",
    "Call it from a handler, a job or plugin.onStart. setup only declares, and a draft, a trial or --once sends nothing.",
  ),
  late: refused("The handler has already ended", "The Host rejects calls that a handler makes after it has ended."),
} as const satisfies Record<string, {status: number; title: string; hint: string}>

export type ProblemCode = keyof typeof problems

/** One finding in a file: line and column from 1, key path, what was expected, and what to do. */
export interface Issue {
  readonly file: string
  readonly line: number
  readonly column: number
  /** Dotted key path; empty for the whole file. */
  readonly path: string
  readonly message: string
}

/** `svc.config.yml:5:9 http.port: expected an integer, got "abc"` */
export const formatIssue = (issue: Issue): string =>
  `${issue.file}:${issue.line}:${issue.column} ${issue.path === "" ? "" : `${issue.path}: `}${issue.message}`

export interface ProblemOptions {
  readonly cause?: unknown
  /** Positions in files: all that were found, in the order of the files. */
  readonly issues?: readonly Issue[]
  /** Replaces the table's hint if the situation allows a better one. */
  readonly hint?: string
  /** Seconds until a retry makes sense. */
  readonly retryAfter?: number
  readonly failure?: CallFailure
  /** The current value, if the request was made against an older one. */
  readonly current?: unknown
}

/** The body of an error answer (RFC 9457, `application/problem+json`). */
export interface ProblemBody {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ProblemCode
  readonly hint: string
  readonly requestId?: string
  readonly issues?: readonly Issue[]
  readonly current?: unknown
}

/**
 * How a call of a platform failed:
 *
 * - `refused`: the platform would refuse the same call again.
 * - `limited`: it asks to wait `retryAfter` seconds.
 * - `unknown`: it did not answer in time, so that the call may have happened.
 * - `unavailable`: it was not reached, or failed. A later call may succeed.
 */
export type CallFailure = "refused" | "limited" | "unknown" | "unavailable"

/** The one error class: its code decides status, title and hint. `detail` never holds a secret or a stack. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly hint: string
  readonly issues: readonly Issue[]
  readonly retryAfter: number | undefined
  /** How a call of a platform failed (`platform_failed`, `endpoint_offline`); undefined for everything else. */
  readonly failure: CallFailure | undefined
  readonly current: unknown

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : {cause: options.cause})
    this.name = "Problem"
    this.code = code
    this.hint = options.hint ?? problems[code].hint
    this.issues = options.issues ?? []
    this.retryAfter = options.retryAfter
    this.failure = options.failure
    this.current = options.current
  }

  get status(): number {
    return problems[this.code].status
  }

  get title(): string {
    return problems[this.code].title
  }

  body(requestId?: string): ProblemBody {
    return {
      type: `urn:svc:problem:${this.code}`,
      title: this.title,
      status: this.status,
      detail: this.message,
      code: this.code,
      hint: this.hint,
      ...(requestId === undefined ? {} : {requestId}),
      ...(this.issues.length === 0 ? {} : {issues: this.issues}),
      ...(this.current === undefined ? {} : {current: this.current}),
    }
  }
}

export const isProblem = (error: unknown, code: ProblemCode): error is Problem =>
  error instanceof Problem && error.code === code

/** Returns a `Problem` unchanged. Wraps anything else as `code` and keeps its message and cause. */
export const toProblem = (cause: unknown, code: ProblemCode): Problem =>
  cause instanceof Problem ? cause : new Problem(code, messageOf(cause), {cause})

/** In characters: an error's message may contain a platform's complete response. */
const longestMessage = 10_000

/** Returns the text of any thrown value: at most 10,000 characters, without NUL, which the database rejects. */
export const messageOf = (error: unknown): string => {
  const text = textOfThrown(error)
  const kept = text.length > longestMessage ? `${text.slice(0, longestMessage).toWellFormed()}…` : text
  return kept.replaceAll("\0", "\\0")
}

const textOfThrown = (error: unknown): string => {
  try {
    return String(error instanceof Error ? error.message : error)
  } catch {
    return "something was thrown that has no text"
  }
}
