import type {Part} from "../types.ts"

export const chat: Part<"chat"> = {
  title: "Mit dem Bot sprechen",
  missing: "Dieses Projekt hat keine Sandbox: sandbox: {} unter plugins in svc.config.yml eintragen und neu laden.",
  empty: "In diesem Lauf wurde noch nichts gesagt. Was hier gesagt wird, bleibt im Host.",
  say: "Etwas zum Bot sagen",
  send: "Senden",
  from: {bot: "Bot", user: "Ich"},
  failed: "Der Bot ist daran gescheitert:",
  refused: "Der Host hat es nicht angenommen:",
  fate: "Was daraus wurde",
  commands: "Befehle, die er kennt",
  take: name => `/${name}: in die Nachricht übernehmen`,
}
