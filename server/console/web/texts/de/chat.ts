import type {Part} from "../en/en.ts"

export const chat: Part<"chat"> = {
  title: "Mit dem Bot sprechen",
  missing: "Dieses Projekt hat keine Sandbox. sandbox: {} unter plugins in svc.config.yml eintragen, dann neu laden.",
  empty: "Noch keine Nachrichten in diesem Lauf. Nachrichten auf dieser Seite bleiben im Host.",
  say: "Nachricht an den Bot",
  send: "Senden",
  from: {bot: "Bot", user: "Ich"},
  failed: "Handler fehlgeschlagen:",
  refused: "Der Host hat diese Nachricht abgelehnt:",
  fate: "Was geschah",
  commands: "Befehle des Bots",
  take: name => `/${name}: in die Nachricht übernehmen`,
}
