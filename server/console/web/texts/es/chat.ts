import type {Part} from "../types.ts"

export const chat: Part<"chat"> = {
  title: "Hablar con el bot",
  missing: "Este proyecto no tiene sandbox: añadir sandbox: {} bajo plugins en svc.config.yml y recargar.",
  empty: "Aún no se dijo nada en esta ejecución. Lo que se dice aquí se queda en el Host.",
  say: "Decir algo al bot",
  send: "Enviar",
  from: {bot: "Bot", user: "Yo"},
  failed: "El bot falló:",
  refused: "El Host no lo aceptó:",
  fate: "Qué fue de ello",
  commands: "Comandos que conoce",
  take: name => `/${name}: ponerlo en el mensaje`,
}
