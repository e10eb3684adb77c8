package store

// Clear deletes every document of a collection, with what lies below.
func Clear(tx Tx, collection string) error {
	for {
		page, err := tx.Query(Query{Collection: collection, Limit: MaxLimit})
		if err != nil || len(page.Items) == 0 {
			return err
		}
		for _, d := range page.Items {
			if err := tx.Delete(d.Path, AnyVersion); err != nil {
				return err
			}
		}
	}
}
