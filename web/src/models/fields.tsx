import type { ReactNode } from "react";
import type { ModelTest } from "../api/operations";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { Notice } from "../ui/notice";
import { words } from "../words";

const say = words.models.form;

/** What a person says about a connection. */
export interface Entered {
  name: string;
  model: string;
  url: string;
  secret: string;
}

/** Why a test failed, and at which field that is shown. */
export interface Failure {
  text: string;
  field?: string;
}

const shown = ["baseUrl", "modelId", "secret"];

export function failureOf({ error }: ModelTest): Failure {
  const field = (error?.details as { field?: string } | undefined)?.field;
  const text = error?.message ?? say.noAnswer;
  const begins = /^https?:/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return { text: begins, field: shown.find((f) => f === field) };
}

interface Props {
  entered: Entered;
  onChange: (entered: Entered) => void;
  /** What counts where nothing is entered. */
  names: { name: string; model: string };
  needsUrl?: boolean;
  /** A key is stored already. */
  kept?: boolean;
  failure?: Failure;
}

export function ModelFields({ entered, onChange, names, needsUrl, kept, failure }: Props) {
  const set = (field: keyof Entered) => (value: string) => onChange({ ...entered, [field]: value });
  const wrong = (field: string) => (failure?.field === field ? failure.text : undefined);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {needsUrl && (
        <Field
          label={say.address}
          hint={say.addressHint}
          type="url"
          placeholder="http://localhost:11434/v1"
          value={entered.url}
          onChange={set("url")}
          className="sm:col-span-2"
          error={wrong("baseUrl")}
          required
        />
      )}
      <Field
        label={say.model}
        placeholder={names.model}
        value={entered.model}
        onChange={set("model")}
        error={wrong("modelId")}
        spellCheck={false}
      />
      <Field
        label={needsUrl ? say.optionalKey : say.key}
        type="password"
        autoComplete="off"
        placeholder={kept ? say.keptKey : undefined}
        value={entered.secret}
        onChange={set("secret")}
        error={wrong("secret")}
        required={!needsUrl && !kept}
      />
      <Field label={say.name} placeholder={names.name} value={entered.name} onChange={set("name")} />
    </div>
  );
}

interface SaveProps {
  busy: boolean;
  failure?: Failure;
  /** Why the server took nothing. */
  error: string;
  /** Nothing changes that a test would tell of. */
  untested?: boolean;
  onInsist: () => void;
  children?: ReactNode;
}

/** The end of the form: a test that failed asks whether to save all the same. */
export function SaveButtons({ busy, failure, error, untested, onInsist, children }: SaveProps) {
  return (
    <>
      {failure && <Notice text={failure.field ? say.failed : `${say.failed} ${failure.text}`} />}
      {error && <Notice text={error} />}
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" type="submit" disabled={busy}>
          {busy ? say.testing : untested ? say.save : say.test}
        </Button>
        {failure && (
          <Button disabled={busy} onClick={onInsist}>
            {say.saveAnyway}
          </Button>
        )}
        {children}
      </div>
    </>
  );
}
