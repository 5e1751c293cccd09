import type {Part} from "../en/en.ts"

export const chat: Part<"chat"> = {
  title: "Hablar con el bot",
  missing: "Este proyecto no tiene sandbox. Añadir sandbox: {} bajo plugins en svc.config.yml y recargar.",
  empty: "Aún no hay mensajes en esta ejecución. Los mensajes de esta página se quedan en el Host.",
  say: "Mensaje para el bot",
  send: "Enviar",
  from: {bot: "Bot", user: "Yo"},
  failed: "Fallaron controladores:",
  refused: "El Host rechazó este mensaje:",
  fate: "Qué pasó",
  commands: "Comandos del bot",
  take: name => `/${name}: insertar en el mensaje`,
}
