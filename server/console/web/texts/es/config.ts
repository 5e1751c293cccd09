import type {Part} from "../types.ts"
import {counted} from "./counted.ts"

export const config: Part<"config"> = {
  editor: file => `Texto de ${file}`,
  about:
    "Este es el archivo tal como está escrito: una variable queda como ${NAME}. No se escribe nada hasta aplicarlo.",
  keys: "Ctrl-Espacio completa, Ctrl-Z deshace, F8 va al siguiente hallazgo, Ctrl-[ y Ctrl-] cambian la sangría. Tab sale del editor.",
  checking: "Comprobando",
  noFindings: "Sin hallazgos.",
  findings: count => counted(count, {one: "# hallazgo", other: "# hallazgos"}),
  findingAt: (line, column) => `${line}:${column}`,
  compare: "Comparar con el archivo",
  diff: "Qué cambiaría",
  same: "No cambiaría nada.",
  restarts: what => `Esto requiere reiniciar el Host: ${what}.`,
  unpins: generation => `La generación ${generation} está fijada; aplicar termina la fijación.`,
  unready: "Después de esto no está listo:",
  apply: "Aplicar",
  applyRestart: "Aplicar y reiniciar",
  applySays: [
    "El Host lo prueba como borrador, escribe el archivo y lo aplica como una nueva generación.",
    "Si el borrador falla, el archivo queda como está.",
  ],
  applied: generation => `Aplicado: la generación ${generation} está en marcha.`,
  restarting: "El archivo está escrito, y el Host se reinicia.",
  byHand: why => `El Host no puede sustituir el archivo: ${why}. Aplicar el diff a mano, por ejemplo con patch.`,
  changed: "El archivo ha cambiado desde que se abrió. El texto propio se conserva.",
  keepMine: "Comparar el texto propio con el archivo nuevo",
  takeTheirs: "Descartar el texto propio y cargar el archivo nuevo",
  discard: "Descartar los cambios propios",
  restored: "Los cambios sin aplicar están de vuelta.",
}
