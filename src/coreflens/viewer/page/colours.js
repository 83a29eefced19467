// Colours of entities. Eight hues that stay apart for colour-blind people; beyond eight they repeat, and the number
// written at every mention says which entity is meant. A response entity has the colour of the key entity that CEAFe
// aligns with it, so that agreement is seen at once; one without has none.

const HUES = 8;

export function coloured(view) {
  let next = 0;
  for (const entity of view.key.entities) entity.colour = entity.size > 1 ? `c${next++ % HUES}` : "c-";
  for (const entity of view.response.entities) entity.colour = "c-";
  for (const cell of view.cells) {
    if (cell.ceafe) view.response.entities[cell.j].colour = view.key.entities[cell.i].colour;
  }
}
