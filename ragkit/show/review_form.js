// What a reviewer is asked, three choices, a name, and what became of every decision sent.
const CHOICES = [
  ["approve", "approve the draft"],
  ["edit", "edit it"],
  ["reject", "reject it"],
];
const ICONS = { good: "✓", bad: "✕", muted: "–" };
let forms = 0;

function part(name, kind, words) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (words !== undefined) made.textContent = words;
  return made;
}

function field(words, input) {
  const label = part("label", "", words);
  if (input.tagName === "INPUT") input.type = "text";
  label.append(input);
  return label;
}

function render({ model, el }) {
  const group = `rk-review-${(forms += 1)}`;
  const form = part("form", "rk rk-form");
  form.setAttribute("aria-label", "review");
  el.append(form);

  const question = part("div", "rk-question", model.get("question"));
  const why = part("div", "rk-soft", model.get("why"));
  const draft = part("div", "rk-quote rk-text", model.get("draft") || "There is no draft.");

  const choices = part("fieldset");
  choices.setAttribute("aria-label", "decision");
  for (const [value, words] of CHOICES) {
    const radio = part("input");
    Object.assign(radio, { type: "radio", name: group, value });
    const label = part("label");
    label.append(radio, words);
    choices.append(label);
  }
  const chosen = () => choices.querySelector("input:checked")?.value ?? "";

  const text = part("textarea");
  text.rows = 5;
  text.value = model.get("draft");
  const edited = field("the edited answer; it is checked like a draft", text);
  const reviewer = part("input");
  const comment = part("input");
  const sayWhy = field("comment (a rejection needs its reason)", comment);
  const button = part("button", "", "Send the decision");
  const told = part("div", "rk-stack rk-tight");
  told.setAttribute("role", "status");

  function paint() {
    edited.classList.toggle("rk-hidden", chosen() !== "edit");
  }

  function tell() {
    const lines = model.get("messages").map(([tone, words]) => {
      const line = part("div", `rk-note rk-${tone}`);
      line.append(part("span", "rk-icon", `${ICONS[tone] ?? ""} `), words);
      return line;
    });
    told.replaceChildren(...lines);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    model.set("decision", {
      action: chosen(),
      reviewer: reviewer.value,
      comment: comment.value,
      text: text.value,
      click: (model.get("decision").click ?? 0) + 1,
    });
    model.save_changes();
  });
  choices.addEventListener("change", paint);
  model.on("change:messages", tell);
  // JupyterLab would take letters typed here as its own shortcuts
  form.addEventListener("keydown", (event) => event.stopPropagation());

  if (model.get("question") || model.get("why")) {
    form.append(question, why, draft, choices, edited, field("reviewer", reviewer), sayWhy, button);
  }
  form.append(told);
  paint();
  tell();
  return () => model.off("change:messages", tell);
}

export default { render };
