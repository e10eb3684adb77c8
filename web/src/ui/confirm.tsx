import { useState } from "react";
import { Button } from "./button";

interface Props {
  label: string;
  /** What the button says after the first press. */
  sure: string;
  disabled?: boolean;
  onConfirm: () => void;
}

/** A button for what cannot be taken back: it wants to be pressed twice. */
export function ConfirmButton({ label, sure, disabled, onConfirm }: Props) {
  const [asking, setAsking] = useState(false);
  const press = () => {
    setAsking(!asking);
    if (asking) {
      onConfirm();
    }
  };
  return (
    <Button kind="danger" disabled={disabled} onClick={press} onBlur={() => setAsking(false)}>
      {asking ? sure : label}
    </Button>
  );
}
