import {AlertsView, AlertTestResult} from "../../alerts/api.ts"
import {HistoryQuery, HistoryView, StreamQuery} from "../../events/event-stream.ts"
import {logLevels} from "../../log.ts"
import {Named, NamedClosed, Optional, orNull, Time, Type} from "../../type.ts"
import {ConfigApplied, ConfigFile, ConfigPreview, ConfigPreviewRequest, ConfigRequest} from "../configuration/file.ts"
import {ConfigForm} from "../configuration/form.ts"
import {Compacted, CompactTask, DatabaseCheck, DatabaseInfo, Rescued} from "../database.ts"
import {LogPage, LogRunView} from "../logs.ts"
import {MetricHistoryView} from "../metrics/history.ts"
import {PageQuery, page} from "../pages.ts"
import {PluginDetail, PluginView, pluginStates} from "../plugin-views.ts"
import {GenerationView} from "../system.ts"
import {get, pages, post} from "./operation.ts"
import {reloadProblems} from "./system.ts"

/** The operations on the Host itself. */

export const eventOperations = {
  stream: get("/api/events", "demo", {
    summary:
      "The event log as server-sent events; Last-Event-ID resumes the stream, and a gap says what it cannot resume",
    query: StreamQuery,
    answer: "text/event-stream",
    stream: true,
  }),
  history: get("/api/events/history", "demo", {
    summary: "The event log as pages, oldest first",
    query: HistoryQuery,
    answer: HistoryView,
  }),
}

export const pluginOperations = {
  list: get("/api/plugins", "demo", {
    summary: "The plugin instances of the running generation and what they publish",
    query: Type.Object({
      ...PageQuery.properties,
      state: Optional.Enum([...pluginStates], {description: "Only plugins in this state"}),
    }),
    answer: page(PluginView),
  }),
  show: get("/api/plugins/:plugin", "demo", {
    summary: "One plugin: what it publishes, its settings with their schema, and their place in the file",
    answer: PluginDetail,
    problems: ["plugin_unknown"],
  }),
  switch: post("/api/plugins/:plugin", "owner", {
    summary: "Disable or enable a plugin of the running configuration, as a new generation that is pinned",
    body: NamedClosed("PluginSwitch", {enabled: Type.Boolean({description: "false withdraws all that it publishes"})}),
    answer: GenerationView,
    problems: ["plugin_unknown", "conflict", "config_invalid", "plugin_invalid", "restart_required"],
  }),
}

export const generationOperations = {
  list: pages("/api/generations", "demo", GenerationView, "The committed generations, newest first"),
  config: get("/api/generations/:number/config", "viewer", {
    summary: "The configuration of a generation, as it was written",
    answer: Named("GenerationConfig", {
      number: Type.Integer(),
      config: Type.String({description: "The configuration file, with ${NAME} unexpanded"}),
    }),
    problems: ["generation_unknown"],
  }),
  rollback: post("/api/generations/:number/rollback", "owner", {
    summary: "Run the configuration of an earlier generation, and pin it",
    answer: GenerationView,
    problems: ["generation_unknown", "config_invalid", "restart_required"],
  }),
  unpin: post("/api/generations/unpin", "owner", {
    summary: "Remove the pin of a rollback, and run the configuration file again",
    answer: GenerationView,
    problems: ["conflict", "config_invalid", "restart_required"],
  }),
}

/** The configuration may contain data about users. */
export const configOperations = {
  show: get("/api/config", "viewer", {
    summary: "The running configuration; a secret is shown as [secret]",
    // With its defaults.
    answer: Named("Config", {config: Type.Unknown()}),
  }),
  schema: get("/api/config/schema", "viewer", {
    summary: "The schema of the configuration file, and those of the running plugins",
    answer: Named("ConfigSchemas", {
      schema: Type.Unknown({description: "JSON Schema of the configuration file as written"}),
      plugins: Type.Record(
        Type.String(),
        Type.Object({
          config: Type.Unknown({description: "JSON Schema of its `config`; null if it has none"}),
          account: Type.Unknown({description: "JSON Schema of one of its `endpoints`; null if it has none"}),
        }),
        {description: "By the key of each plugin that runs"},
      ),
    }),
  }),
  file: get("/api/config/file", "viewer", {
    summary: "The configuration file as written, with the hash that a change must send",
    answer: ConfigFile,
    problems: ["project_missing", "config_invalid"],
  }),
  form: get("/api/config/form", "viewer", {
    summary: "The plugins' settings and accounts as written, with their schemas, and the plugins that could be added",
    answer: ConfigForm,
    problems: ["project_missing", "config_invalid"],
  }),
  preview: post("/api/config/preview", "owner", {
    summary: "Preview a change of the configuration file: text, diff and findings; nothing is written",
    body: ConfigPreviewRequest,
    answer: ConfigPreview,
    problems: [
      "config_changed",
      "config_invalid",
      "config_not_editable",
      "plugin_unknown",
      "endpoint_unknown",
      "conflict",
      "project_missing",
    ],
  }),
  apply: post("/api/config", "owner", {
    summary: "Try a text as the next generation, write it to the configuration file, and commit it",
    body: ConfigRequest,
    answers: {200: ConfigApplied, 202: ConfigApplied},
    problems: ["config_changed", "config_not_editable", ...reloadProblems, "project_missing"],
  }),
}

export const alertOperations = {
  list: get("/api/alerts", "demo", {
    summary: "Alerts that are active or ended within a day, where they were sent, and what could not be sent",
    answer: AlertsView,
  }),
  test: post("/api/alerts/test", "operator", {
    summary: "Send a test alert to one target or to all, and return the result of each",
    body: NamedClosed("AlertTestRequest", {
      target: Optional.String({minLength: 1, description: "Name of the target; every target when left out"}),
    }),
    answer: AlertTestResult,
    problems: ["alert_target_unknown", "alerts_off"],
  }),
}

export const databaseOperations = {
  show: get("/api/database", "demo", {
    summary: "The size of the database, its growth, and the rows that retention has deleted",
    query: Type.Object({tables: Optional.Boolean({default: false, description: "Count rows and bytes of each table"})}),
    answer: DatabaseInfo,
  }),
  compaction: get("/api/database/compaction", "demo", {
    summary: "The progress of the database's compaction, or the result of the last one",
    answer: Named("LastCompaction", {task: orNull(CompactTask)}),
  }),
  compact: post("/api/database/compact", "operator", {
    summary:
      "Start to delete rows past their retention and to return unused space to the disk; a dry run answers immediately",
    body: NamedClosed("CompactRequest", {
      dryRun: Optional.Boolean({default: false, description: "Only report the space that it would free"}),
    }),
    answers: {200: Compacted, 202: CompactTask},
    problems: ["compact_unavailable", "compact_busy"],
  }),
  check: post("/api/database/check", "viewer", {
    summary: "Look for damaged pages in each table of the database file; readiness reports them too",
    answer: DatabaseCheck,
    problems: ["database_failed"],
  }),
  rescue: post("/api/database/rescue", "owner", {
    summary: "Write the data that the Host still holds of a lost or damaged database file to a new file",
    body: NamedClosed("RescueRequest", {
      to: Optional.String({minLength: 1, description: "Absolute path of a new file; one in data/ when left out"}),
    }),
    answer: Rescued,
    problems: ["rescue_not_needed", "rescue_failed"],
  }),
}

/** The log may contain data about users. */
export const logOperations = {
  list: get("/api/logs", "viewer", {
    summary: "The newest log records of a run, newest first; with `after`, the records after that one, oldest first",
    query: Type.Object({
      limit: Optional.Integer({minimum: 1, maximum: 1000, default: 200, description: "Records per page"}),
      cursor: Optional.String({pattern: "^[0-9]{1,15}$", description: "`next` of the previous page"}),
      level: Optional.Enum([...logLevels], {description: "The lowest level to show"}),
      plugin: Optional.String({description: "Only records of this plugin instance, by its name"}),
      run: Optional.String({
        pattern: "^[0-9A-Za-z-]{1,64}$",
        description:
          "The runtimeId of an earlier run, or `previous`, and then `after` is ignored. The current run when left out",
      }),
      after: Optional.String({
        pattern: "^[0-9A-Za-z-]{1,64}-[0-9]{1,15}$",
        description: "`head` of an earlier response. Returns the records after it, oldest first, and ignores `cursor`",
      }),
    }),
    answer: LogPage,
    problems: ["log_unknown"],
  }),
  runs: get("/api/logs/runs", "viewer", {
    summary: "The runs whose log is kept, newest first; the first is the current run",
    answer: Named("LogRuns", {items: Type.Array(LogRunView)}),
  }),
}

export const metricOperations = {
  show: get("/api/metrics", "demo", {
    summary: "Metrics for Prometheus; docs/reference/metrics.md lists them",
    // Prometheus' text format, in the form that `promtool check metrics` accepts.
    answer: "text/plain; version=0.0.4; charset=utf-8",
  }),
  history: get("/api/metrics/history", "demo", {
    summary: "The Host's figures over time: by minute for 48 hours, by hour for 90 days",
    query: Type.Object({
      from: Type.Optional(Time("Start; an hour before the end when left out")),
      to: Type.Optional(Time("End; now when left out")),
    }),
    answer: MetricHistoryView,
    problems: ["request_invalid"],
  }),
}

export const mcpOperations = {
  call: post("/mcp", "demo", {
    summary:
      "Model Context Protocol, if `http.mcp` turns it on: the API's operations as tools, documentation as resources",
    body: Type.Unknown({description: "A message of JSON-RPC 2.0; in version 2025-03-26 also a batch of up to 20"}),
    answer: Type.Unknown({description: "A response of JSON-RPC 2.0, or a list of them; 202 without a body for none"}),
    problems: ["not_found", "origin_refused"],
  }),
}

export const documentOperations = {
  show: get("/api/openapi.json", "demo", {summary: "This API as an OpenAPI document", answer: Type.Object({})}),
}
